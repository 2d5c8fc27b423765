// Arguments of the command: the target, the task, parameters, and options that grant rights.

import { UsageError } from "./usage-error.ts";
import { explainWord, type OtherMeanings } from "./explain-word.ts";
import { quoteTask } from "./quote-task.ts";
import type { AgentDefinition, Cadre } from "../../host.ts";

/** An agent, and the words of its task. */
export interface ChosenAgent {
  agent: string;
  words: readonly string[];
}

/**
 * Returns the name of the agent in the file at `path`, which is the first of `words`. `cadre` must have been opened with
 * the file among its `agentFiles`.
 *
 * @throws UsageError when the file holds something else, CadreError `definition-invalid` or `not-trusted` when it has errors.
 */
export async function findFileAgent(
  cadre: Cadre,
  path: string,
  words: readonly string[],
): Promise<string> {
  const { all } = await cadre.agents();
  const task = `If it is a task: ${quoteTask(words)}`;
  // Agents given by path come first.
  const found = all.find(({ source }) => source.path === path);
  if (found === undefined) {
    throw new UsageError(
      `Expected an agent, a recipe or a prompt; ${path} is another kind of file. ${task}`,
    );
  }
  await refuseBroken(found, `\n${task}`);
  return found.name;
}

/**
 * Returns the agent that the first word names, with its task; without such an agent, `main` with all words.
 *
 * @throws UsageError when the first word seems to name something that cannot be run, and CadreError when it names an agent with
 * errors: `main` has every tool, so a typing mistake must not start it.
 */
export async function chooseAgent(
  cadre: Cadre,
  words: readonly string[],
  meanings: OtherMeanings,
): Promise<ChosenAgent> {
  const [first = "", ...rest] = words;
  const main: ChosenAgent = { agent: "main", words };
  // Several words in one are a task, unless a task follows them: names may contain spaces.
  const isTask = /\s/.test(first);
  if (first === "" || (isTask && rest.length === 0)) return main;
  const discovery = await cadre.agents();
  const { agents, all } = discovery;
  const found = [...agents, ...all].find(({ name }) => name === nameOf(first, all));
  const task = `If it is a task: ${quoteTask(words)}`;
  if (found !== undefined) {
    if (!agents.includes(found)) await refuseBroken(found, `\n${task}`);
    return { agent: found.name, words: rest };
  }
  if (isTask) return main;
  await refuseCommand(cadre, first, task);
  const problem = await explainWord(first, discovery, meanings);
  if (problem === undefined) return main;
  throw new UsageError(`${problem}${problem.includes("\n") ? "\n" : " "}${task}`);
}

/** Refuses a command of the project, which only a conversation takes. */
async function refuseCommand({ commands }: Cadre, word: string, task: string): Promise<void> {
  if (!word.startsWith("/")) return;
  const found = await commands.list();
  if (!found.commands.some(({ name }) => `/${name}` === word)) return;
  throw new UsageError(
    `${word} is a command of the project, for conversations: start cadre on a terminal and type it there. ${task}`,
  );
}

/** References to a pack's agent: optionally with the file extension, and with `main` where the name omits it. */
const packReference = /^([A-Za-z_][\w-]*@[A-Za-z_][\w-]*(?:\/\S+?)??)(?:\/main)?(?:\.aip)?\/?$/;

/** Returns the name of the agent that a word refers to, or `undefined`. */
function nameOf(word: string, all: readonly AgentDefinition[]): string {
  if (all.some(({ name }) => name === word)) return word;
  return packReference.exec(word)?.[1] ?? word;
}

async function refuseBroken({ name, diagnostics }: AgentDefinition, hint = ""): Promise<void> {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const { CadreError, formatDiagnostic } = await import("../../host.ts");
  const code = errors.some((one) => one.code === "not-trusted")
    ? "not-trusted"
    : "definition-invalid";
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  throw new CadreError(code, `The agent ${name} cannot be used:${lines}${hint}`);
}
