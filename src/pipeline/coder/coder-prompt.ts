import { createHash } from "node:crypto";
import type { JsonValue } from "../../source/json.ts";
import type { FileText } from "../files/read-files.ts";
import { promptFile } from "../../prompt-file.ts";

/** The input of one task: an item of `inputs`, or files of `input_globs`. */
export type TaskInput = { value: JsonValue } | { files: readonly FileText[] };

/** The parts of a coder's prompt. */
export interface CoderMaterial {
  /** Knowledge, in full. */
  knowledge: readonly FileText[];
  /** Files to work with, in full. */
  context: readonly FileText[];
  /** Paths only. */
  structure: readonly string[];
  /** The files left out, one sentence each. */
  leftOut: readonly string[];
  /** `null` when the pipeline has no inputs. */
  input: TaskInput | null;
  /** The segments of the instruction. */
  prompts: readonly string[];
}

const preamble = promptFile(new URL("./prompt/coder-data.md", import.meta.url));

/**
 * Renders the coder's prompt: files as tagged data, then the instruction. The tags carry an id that does not occur in the data,
 * so no file can close its own tag. The same material gives the same text.
 */
export function renderCoderPrompt(material: CoderMaterial): string {
  const { knowledge, context, structure, leftOut, input, prompts } = material;
  const id = chooseId(JSON.stringify([knowledge, context, structure, leftOut, input]));
  const block = (name: string, parts: readonly string[]): string[] =>
    parts.length === 0 ? [] : [wrap(name, "", parts.join("\n"), id)];
  const file = ({ path, text }: FileText): string =>
    wrap("file", ` path=${JSON.stringify(path)}`, text.replace(/\n$/, ""), id);
  const data = [
    ...block("knowledge", knowledge.map(file)),
    ...block("context", context.map(file)),
    ...block("structure", structure.map(showPath)),
    ...block("left-out", leftOut),
    ...block("input", input === null ? [] : [showInput(input, file)]),
  ];
  const instruction = prompts.join("\n\n");
  if (data.length === 0) return instruction;
  return [preamble().replaceAll("{{id}}", id), ...data, instruction].join("\n\n");
}

function wrap(name: string, attributes: string, text: string, id: string): string {
  return `<${name}${attributes} id="${id}">\n${text}\n</${name} id="${id}">`;
}

/** Quotes a path with characters that could fake further lines or tags. */
function showPath(path: string): string {
  return /[\p{Cc}"<>]/u.test(path) ? JSON.stringify(path) : path;
}

function showInput(input: TaskInput, file: (one: FileText) => string): string {
  if ("files" in input) return input.files.map(file).join("\n");
  return typeof input.value === "string" ? input.value : JSON.stringify(input.value, null, 2);
}

/** Chooses the id of the tags. It is not random, because a resumed run must render the same prompt. */
function chooseId(data: string): string {
  for (let round = 0; ; round += 1) {
    const id = createHash("sha256").update(`${round}\n${data}`).digest("hex").slice(0, 12);
    if (!data.includes(id)) return id;
  }
}
