// The built-in agents of pipelines: auto-context chooses files, code-map describes them.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path/posix";
import { defineAgent, type ProgramAgent } from "../../agent/program/program.ts";
import type { JsonObject } from "../../source/json.ts";
import { type FileListing, listChoices } from "./file-listing.ts";
import { readFileSummary, showFile } from "./file-map.ts";
import {
  asTable,
  type MaybeSubAgentInput,
  readAgentOptions,
  modelOption,
  textsOption,
} from "./options.ts";

/** The built-in agent that chooses files for a coder. */
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
      ...modelOption(options),
      system: readFileSync(new URL("./prompt/choose-files.md", import.meta.url), "utf8").trim(),
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
    const before = options["mode"] === "reduce" ? [] : textsOption(params["context_globs"]);
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

/** @throws Error for an unknown mode, because guessing could drop the whole context. */
function readOptions(input: MaybeSubAgentInput): JsonObject {
  const options = readAgentOptions(input, "auto_context");
  const { mode = "reduce" } = options;
  if (mode !== "reduce" && mode !== "expand" && mode !== "augment") {
    throw new Error(`Expected \`mode\` to be reduce or expand; got ${JSON.stringify(mode)}.`);
  }
  return { ...options, mode };
}

/** Returns the glob relative to `base` for a file of the workspace. */
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
    ...helpers.map(({ path, text }) => `The file ${path}, which helps to choose:\n\n${text}`),
    `The instruction:\n\n${instruction}`,
  ].join("\n\n");
}

/** Returns the map of an earlier `code-map`, or an empty one. */
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

/** Keeps only listed files, because a model may invent paths. */
function read(
  output: unknown,
  listing: FileListing,
): { context: string[]; knowledge: string[]; reason: string } {
  const answer = asTable(output);
  const keep = (field: string, known: readonly string[]): string[] => {
    const named = new Set(textsOption(answer[field]));
    return known.filter((path) => named.has(path));
  };
  const { reason } = answer;
  return {
    context: keep("context_files", listing.context),
    knowledge: keep("knowledge_files", listing.knowledge),
    reason: typeof reason === "string" ? reason : "",
  };
}
