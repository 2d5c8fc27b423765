import { UsageError } from "../usage-error.ts";
import { explainWord, type WordPlace } from "./explain-word.ts";
import { quoteTask } from "./quote-task.ts";
import type { AgentDefinition, Cadre } from "../../index.ts";

/** An agent, and the words of its task. */
export interface ChosenAgent {
  agent: string;
  words: readonly string[];
}

/**
 * The name of the agent in a file given on the command line; `cadre` was opened with it among its `agentFiles`.
 *
 * @throws UsageError when the file holds something else, CadreError `definition-invalid` when it has errors.
 */
export async function findFileAgent(cadre: Cadre, path: string): Promise<string> {
  const { all } = await cadre.agents();
  // Those given by hand come first.
  const found = all.find(({ source }) => source.path === path);
  if (found === undefined) {
    throw new UsageError(`Expected an agent, a recipe or a prompt; ${path} is none of them.`);
  }
  const { CadreError } = await import("../../index.ts");
  const problem = await describeErrors(found);
  if (problem !== undefined) throw new CadreError("definition-invalid", problem);
  return found.name;
}

/**
 * The agent that the first word names and its task, or else `main` with all words.
 *
 * @throws UsageError when the first word seems to name something that cannot be run: a task for `main`, which has every
 * tool, is never started by mistake.
 */
export async function chooseAgent(
  cadre: Cadre,
  words: readonly string[],
  place: WordPlace,
): Promise<ChosenAgent> {
  const [first = "", ...rest] = words;
  const main: ChosenAgent = { agent: "main", words };
  if (first === "" || /\s/.test(first)) return main;
  const discovery = await cadre.agents();
  const { agents, all } = discovery;
  const found = [...agents, ...all].find(({ name }) => name === nameOf(first, all));
  const problem =
    found === undefined
      ? await explainWord(first, discovery, place)
      : agents.includes(found)
        ? undefined
        : await describeErrors(found);
  if (problem !== undefined)
    throw new UsageError(`${problem} If it is a task: ${quoteTask(words)}`);
  return found === undefined ? main : { agent: found.name, words: rest };
}

/** An agent of a pack, as people refer to it: with its file's ending, and `main` where the name leaves it away. */
const packReference = /^([A-Za-z_][\w-]*@[A-Za-z_][\w-]*(?:\/\S+?)??)(?:\/main)?(?:\.aip)?\/?$/;

/** The name of the agent that a word refers to, where there is one. */
function nameOf(word: string, all: readonly AgentDefinition[]): string {
  if (all.some(({ name }) => name === word)) return word;
  return packReference.exec(word)?.[1] ?? word;
}

/** What keeps an agent from being run. */
async function describeErrors({ name, diagnostics }: AgentDefinition): Promise<string | undefined> {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return undefined;
  const { formatDiagnostic } = await import("../../index.ts");
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  return `The agent ${name} cannot be used:${lines}\n`;
}
