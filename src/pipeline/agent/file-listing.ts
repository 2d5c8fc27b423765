import { isAbsolute } from "node:path";
import type { ProgramContext } from "../../agent/program.ts";
import type { JsonObject } from "../../source/json.ts";
import { listFiles } from "../list-files.ts";
import { asTable, chooseGlobs, type MaybeSubAgentInput, readTexts } from "./options.ts";
import { readText } from "./read-text.ts";

/** More files than these are no help in choosing, and cost more than they bring. */
const mostListed = 3000;
/** What all helpers together may have, in characters. */
const mostHelperCharacters = 200_000;

/** Files to choose from, and those that help in choosing. Paths are relative to the workspace. */
export interface FileListing {
  context: string[];
  /** The folder that the globs of `context` are meant from; empty for the workspace. */
  base: string;
  knowledge: string[];
  /** Knowledge nobody chooses from: what agents wrote down, and what lies in other places. */
  keptKnowledge: string[];
  helpers: { path: string; text: string }[];
}

/** Lists what the options and parameters of `input` say; what is left out is logged. */
export async function listChoices(
  { coder_params: params = {}, sub_agents_prev: history = [] }: MaybeSubAgentInput,
  options: JsonObject,
  context: ProgramContext,
): Promise<FileListing> {
  const own = readTexts(options["code_map_globs"] ?? options["globs"]);
  const lists =
    options["mode"] === "reduce" ? [["context_globs"], ["structure_globs"]] : [["structure_globs"]];
  const { globs, base = "" } = chooseGlobs(own, params, lists);
  const knowledge = options["knowledge"] === false ? [] : readTexts(params["knowledge_globs"]);
  // Where pro@coder's `dev` says that its notes are.
  const notes = history.flatMap(({ agent_result: result }) =>
    readTexts(asTable(result)["dev_content_globs"]),
  );
  return {
    context: await find(globs, base, context),
    base,
    knowledge: await find(
      knowledge.filter((glob) => !isElsewhere(glob)),
      "",
      context,
    ),
    keptKnowledge: knowledge.filter(isElsewhere),
    helpers: await readHelpers([...readTexts(options["helper_globs"]), ...notes], context),
  };
}

async function find(
  globs: readonly string[],
  base: string,
  { cwd, signal, log }: ProgramContext,
): Promise<string[]> {
  if (globs.length === 0) return [];
  const { paths, problems } = await listFiles(globs, { cwd, base, signal });
  for (const problem of problems) log(problem);
  if (paths.length > mostListed) {
    log(
      `${paths.length - mostListed} of ${paths.length} files were left out: at most ${mostListed} are chosen from. Narrow the globs.`,
    );
  }
  return paths.slice(0, mostListed);
}

async function readHelpers(
  globs: readonly string[],
  context: ProgramContext,
): Promise<FileListing["helpers"]> {
  const helpers: FileListing["helpers"] = [];
  let left = mostHelperCharacters;
  for (const path of await find([...new Set(globs)], "", context)) {
    context.signal.throwIfAborted();
    const text = await readText(context.cwd, path);
    left -= text?.length ?? 0;
    if (text !== null && left >= 0) helpers.push({ path, text });
    else context.log(`${path} does not help in choosing: it is no text, or there is too much.`);
  }
  return helpers;
}

function isElsewhere(glob: string): boolean {
  return isAbsolute(glob) || /^(?:~|[\w-]+@[\w-]+(?:\/|$))/.test(glob);
}
