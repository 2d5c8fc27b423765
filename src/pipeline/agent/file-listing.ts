import { isAbsolute } from "node:path";
import type { ProgramContext } from "../../agent/program/program.ts";
import type { JsonObject } from "../../source/json.ts";
import { listFiles } from "../files/list-files.ts";
import { asTable, chooseGlobs, type MaybeSubAgentInput, textsOption } from "./options.ts";
import { readTextWithin } from "./read-text.ts";

/** The maximum number of files to choose from. More files cost more than they help. */
const maxListed = 3000;
/** The maximum size of all helper files together, in characters. */
const maxHelperCharacters = 200_000;

/** Files to choose from, and files that help to choose. Paths are relative to the workspace. */
export interface FileListing {
  context: string[];
  /** The folder that the globs of `context` are relative to; empty for the workspace. */
  base: string;
  knowledge: string[];
  /** Knowledge that the model does not choose from: agents' notes, and files outside the workspace. */
  keptKnowledge: string[];
  helpers: { path: string; text: string }[];
}

/** Lists the files that the options and parameters of `input` select, and logs the ones left out. */
export async function listChoices(
  { coder_params: params = {}, sub_agents_prev: history = [] }: MaybeSubAgentInput,
  options: JsonObject,
  context: ProgramContext,
): Promise<FileListing> {
  const own = textsOption(options["code_map_globs"] ?? options["globs"]);
  const lists =
    options["mode"] === "reduce" ? [["context_globs"], ["structure_globs"]] : [["structure_globs"]];
  const { globs, base = "" } = chooseGlobs(own, params, lists);
  const knowledge = options["knowledge"] === false ? [] : textsOption(params["knowledge_globs"]);
  // The globs of pro@coder's `dev` notes.
  const notes = history.flatMap(({ agent_result: result }) =>
    textsOption(asTable(result)["dev_content_globs"]),
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
    helpers: await readHelpers([...textsOption(options["helper_globs"]), ...notes], context),
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
  if (paths.length > maxListed) {
    log(
      `${paths.length - maxListed} of ${paths.length} files were left out: at most ${maxListed} are offered. Narrow the globs.`,
    );
  }
  return paths.slice(0, maxListed);
}

async function readHelpers(
  globs: readonly string[],
  context: ProgramContext,
): Promise<FileListing["helpers"]> {
  const helpers: FileListing["helpers"] = [];
  let left = maxHelperCharacters;
  for (const path of await find([...new Set(globs)], "", context)) {
    context.signal.throwIfAborted();
    const text = await readTextWithin(context.cwd, path);
    left -= text?.length ?? 0;
    if (text !== null && left >= 0) helpers.push({ path, text });
    else
      context.log(
        `${path} was left out of the helper files: it is not text, or the total size is reached.`,
      );
  }
  return helpers;
}

function isElsewhere(glob: string): boolean {
  return isAbsolute(glob) || /^(?:~|[\w-]+@[\w-]+(?:\/|$))/.test(glob);
}
