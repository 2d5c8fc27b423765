import { readFileSync } from "node:fs";
import { join, relative } from "node:path/posix";
import { defineAgent, type ProgramAgent } from "../../agent/program.ts";
import type { JsonObject } from "../../source/json.ts";
import { type FileListing, listChoices } from "./file-listing.ts";
import { readFileSummary, showFile } from "./file-map.ts";
import {
  asTable,
  type MaybeSubAgentInput,
  readAgentOptions,
  readModel,
  readTexts,
} from "./options.ts";

const system = readFileSync(new URL("./prompt/choose-files.md", import.meta.url), "utf8").trim();

/** The built-in agent that chooses the files a coder gets. */
export const autoContext: ProgramAgent<MaybeSubAgentInput> = defineAgent({
  name: "auto-context",
  description: "Chooses the files of the project that a task needs.",
  timeoutSeconds: 600,
  async run(input, context) {
    const params = input.coder_params ?? {};
    const instruction = input.coder_prompt ?? input.task;
    if (instruction.trim() === "") {
      context.log("There is no instruction to choose files for.");
      return { emit_events: ["auto-context::end"] };
    }
    const options = readOptions(input);
    const listing = await listChoices(input, options, context);
    if (listing.context.length + listing.knowledge.length === 0) {
      context.log("There are no files to choose from.");
      return { emit_events: ["auto-context::end"] };
    }
    const answer = await context.ask({
      ...readModel(options),
      system,
      prompt: describe(listing, instruction, input),
      outputSchema: schemaOf(listing),
    });
    const chosen = read(answer.output, listing);
    context.log(`${chosen.context.length} of ${listing.context.length} files chosen.`);
    const result = {
      context_files: chosen.context,
      knowledge_files: chosen.knowledge,
      reason: chosen.reason,
    };
    if (input.event === undefined) return { text: chosen.context.join("\n"), output: result };
    const before = options["mode"] === "reduce" ? [] : readTexts(params["context_globs"]);
    const after = chosen.context.map((path) => toGlob(path, listing.base, context.cwd));
    const knowledge = [...chosen.knowledge, ...listing.keptKnowledge];
    return {
      coder_params: {
        ...params,
        context_globs: [...new Set([...before, ...after])],
        ...(listing.knowledge.length > 0 && { knowledge_globs: knowledge }),
      },
      agent_result: result,
      emit_events: ["auto-context::end"],
    };
  },
});

/** @throws Error for a mode that nobody knows: all of the context could be lost. */
function readOptions(input: MaybeSubAgentInput): JsonObject {
  const options = readAgentOptions(input, "auto_context");
  const { mode = "reduce" } = options;
  if (mode !== "reduce" && mode !== "expand" && mode !== "augment") {
    throw new Error(`Expected \`mode\` to be reduce or expand; got ${JSON.stringify(mode)}.`);
  }
  return { ...options, mode };
}

/** What names a file of the workspace as a glob that is meant from `base`. */
function toGlob(path: string, base: string, cwd: string): string {
  const below = relative(base, path);
  return below.startsWith("..") ? join(cwd, path) : below;
}

function describe(
  { context, knowledge, helpers }: FileListing,
  instruction: string,
  input: MaybeSubAgentInput,
): string {
  const summaries = findSummaries(input);
  const show = (path: string): string => showFile(path, readFileSummary(summaries[path]));
  return [
    `Files:\n\n${context.map(show).join("\n")}`,
    ...(knowledge.length === 0 ? [] : [`Knowledge:\n\n${knowledge.map(show).join("\n")}`]),
    ...helpers.map(({ path, text }) => `The file ${path}, which helps in choosing:\n\n${text}`),
    `The instruction:\n\n${instruction}`,
  ].join("\n\n");
}

/** The map that `code-map` made before, if it did. */
function findSummaries({ sub_agents_prev: history = [] }: MaybeSubAgentInput): JsonObject {
  const maps = history.map(({ agent_result: result }) => asTable(asTable(result)["file_map"]));
  return maps.findLast((map) => Object.keys(map).length > 0) ?? {};
}

function schemaOf({ knowledge }: FileListing): JsonObject {
  const paths: JsonObject = { type: "array", items: { type: "string" } };
  return {
    type: "object",
    properties: {
      context_files: { ...paths, description: "Paths from the list of files" },
      ...(knowledge.length > 0 && {
        knowledge_files: { ...paths, description: "Paths from the list of knowledge" },
      }),
      reason: { type: "string", description: "Why these, in a sentence or two" },
    },
    required: ["context_files"],
  };
}

/** What a model makes up is no file; only those of the list count. */
function read(
  output: unknown,
  listing: FileListing,
): { context: string[]; knowledge: string[]; reason: string } {
  const answer = asTable(output);
  const keep = (field: string, known: readonly string[]): string[] => {
    const named = new Set(readTexts(answer[field]));
    return known.filter((path) => named.has(path));
  };
  const { reason } = answer;
  return {
    context: keep("context_files", listing.context),
    knowledge: keep("knowledge_files", listing.knowledge),
    reason: typeof reason === "string" ? reason : "",
  };
}
