import { createHash } from "node:crypto";
import type { InstructionFile } from "../../tool/instruction-file/instruction-file.ts";
import { displayPath, resolvePath } from "../../tool/path/path-confinement.ts";
import { decide } from "../../tool/permission/permission.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { readEnginePrompt } from "./read-engine-prompt.ts";

/** An instruction file of a run, as its journal names it. */
export interface UsedFile {
  /** Absolute. */
  path: string;
  /** The size of the whole file, even if a part was cut. */
  bytes: number;
  /** SHA-256 of the text that was used, hex. */
  hash: string;
  importedBy?: string;
}

/** A text with instruction files: a part of a system prompt, or the whole prompt. */
export interface InstructionPart {
  text: string;
  files: readonly UsedFile[];
  warnings: readonly string[];
}

const none: InstructionPart = { text: "", files: [], warnings: [] };

/** Reads the instruction files for a run. Runners read their own program's instruction files. */
export async function readInstructionPart(run: RunContext): Promise<InstructionPart> {
  const { definition, spec } = run;
  if (definition.instructions === false || definition.runner !== undefined) return none;
  const { files: found, problems } = await run.readInstructions(spec.workspace);
  const refused = found.filter((file) => isRefused(file, run));
  const files = found.filter((file) => !refused.includes(file));
  if (files.length === 0 && problems.length === 0 && refused.length === 0) return none;
  const warnings = [
    ...problems,
    ...refused.map(
      ({ path, importedBy }) =>
        `The import ${path} of ${importedBy} was left out: the permission rules of this run do not let it read that file.`,
    ),
  ];
  const parts = files.map(toPart);
  const head = files.length === 0 ? [] : [readEnginePrompt("instruction-files")];
  const text = [...head, ...parts.map((part) => part.text)].join("\n\n");
  return { text, files: parts.map(({ used }) => used), warnings };
}

/**
 * Reports whether a run may not read an import. An agent that may edit an instruction file must not gain read rights through it.
 * Files found by name are instructions from the user or the project to every agent, so they are not checked.
 */
function isRefused({ path, importedBy }: InstructionFile, { spec }: RunContext): boolean {
  if (importedBy === undefined) return false;
  const { workspace, policies } = spec;
  const real = resolvePath(path, workspace);
  const subject = displayPath(real, workspace);
  const call = { tool: "Read", access: "read", subject, paths: [real], workspace } as const;
  return decide(policies, call).decision !== "allow";
}

interface FilePart {
  text: string;
  used: UsedFile;
}

/** Cached, because many runs use the same files. */
const knownParts = new WeakMap<InstructionFile, FilePart>();

function toPart(file: InstructionFile): FilePart {
  const known = knownParts.get(file);
  if (known !== undefined) return known;
  const { path, bytes, text, importedBy } = file;
  const from = importedBy === undefined ? "" : ` imported-by=${JSON.stringify(importedBy)}`;
  const hash = createHash("sha256").update(text).digest("hex");
  const part = {
    text: `<instructions file=${JSON.stringify(path)}${from}>\n${text}\n</instructions>`,
    used: { path, bytes, hash, ...omitUndefined({ importedBy }) },
  };
  knownParts.set(file, part);
  return part;
}
