import { readFileSync } from "node:fs";
import { defineAgent, type ProgramAgent, type ProgramContext } from "../../agent/program.ts";
import type { JsonObject } from "../../source/json.ts";
import { listFiles } from "../list-files.ts";
import { readFileSummary, showFile } from "./file-map.ts";
import {
  asTable,
  chooseGlobs,
  type MaybeSubAgentInput,
  readAgentOptions,
  readModel,
  readTexts,
} from "./options.ts";

/** More files than these are no help in choosing, and cost more than they bring. */
const mostListed = 3000;

const system = readFileSync(new URL("./prompt/choose-files.md", import.meta.url), "utf8").trim();

interface Listing {
  context: string[];
  knowledge: string[];
}

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
    const options = readAgentOptions(input, "auto_context");
    const listing = await list(params, options, context);
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
    const isMore = options["mode"] === "augment" || options["mode"] === "expand";
    const before = isMore ? readTexts(params["context_globs"]) : [];
    return {
      coder_params: {
        ...params,
        context_globs: [...new Set([...before, ...chosen.context])],
        ...(listing.knowledge.length > 0 && { knowledge_globs: chosen.knowledge }),
      },
      agent_result: result,
      emit_events: ["auto-context::end"],
    };
  },
});

/** The files to choose from. Knowledge is chosen from where the options say so; else all of it stays. */
async function list(
  params: JsonObject,
  options: JsonObject,
  { cwd, signal, log }: ProgramContext,
): Promise<Listing> {
  const find = async (globs: readonly string[]): Promise<string[]> => {
    const { paths, problems } = await listFiles(globs, { cwd, signal });
    for (const problem of problems) log(problem);
    if (paths.length > mostListed) {
      log(
        `${paths.length - mostListed} of ${paths.length} files were left out: at most ${mostListed} are chosen from. Narrow \`structure_globs\`.`,
      );
    }
    return paths.slice(0, mostListed);
  };
  const globs = chooseGlobs(readTexts(options["code_map_globs"] ?? options["globs"]), params);
  const knowledge = options["knowledge"] === true ? readTexts(params["knowledge_globs"]) : [];
  return {
    context: await find(globs),
    knowledge: knowledge.length === 0 ? [] : await find(knowledge),
  };
}

function describe(
  { context, knowledge }: Listing,
  instruction: string,
  input: MaybeSubAgentInput,
): string {
  const summaries = findSummaries(input);
  const show = (path: string): string => showFile(path, readFileSummary(summaries[path]));
  return [
    `Files:\n\n${context.map(show).join("\n")}`,
    ...(knowledge.length === 0 ? [] : [`Knowledge:\n\n${knowledge.map(show).join("\n")}`]),
    `The instruction:\n\n${instruction}`,
  ].join("\n\n");
}

/** The map that `code-map` made before, if it did. */
function findSummaries({ sub_agents_prev: history = [] }: MaybeSubAgentInput): JsonObject {
  const maps = history.map(({ agent_result: result }) => asTable(asTable(result)["file_map"]));
  return maps.findLast((map) => Object.keys(map).length > 0) ?? {};
}

function schemaOf({ knowledge }: Listing): JsonObject {
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
  listing: Listing,
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
