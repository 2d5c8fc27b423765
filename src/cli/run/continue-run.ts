import { omitUndefined } from "../../omit-undefined.ts";
import { parseBudget } from "../arguments/parse-budget.ts";
import { readTask } from "../arguments/read-task.ts";
import { UsageError } from "../arguments/usage-error.ts";
import type { Cadre, QueueRequest, RunHandle } from "../../host.ts";

/** The options of `cadre run --continue`. */
export interface ContinueRunOptions {
  /** A run of the conversation; the empty string means the latest conversation. */
  continue: string;
  agent?: string;
  model?: string;
  fallback?: string[];
  timeout?: number;
  budget?: string;
  label?: string;
  recipe?: string;
  param?: readonly string[];
  input?: readonly string[];
  onFiles?: readonly string[];
  interactive?: boolean;
  queue?: QueueRequest | undefined;
}

/** @throws UsageError for an option that has no effect when a conversation is continued. */
export function checkContinue(options: ContinueRunOptions): void {
  const { recipe, param, input, onFiles, interactive } = options;
  const given = { "--recipe": recipe, "--param": param, "--input": input, "--on-files": onFiles };
  for (const [flag, value] of Object.entries({ ...given, "--interactive": interactive })) {
    if (value === undefined) continue;
    throw new UsageError(`Expected --continue or ${flag}; got both.`);
  }
}

/** Starts the next turn of a conversation. Its text is the words, followed by piped input. */
export async function continueRun(
  cadre: Cadre,
  words: readonly string[],
  options: ContinueRunOptions & { note: (line: string) => void },
): Promise<RunHandle> {
  const { continue: named, agent, model, fallback, timeout, budget, label, queue, note } = options;
  const run = await findConversation(cadre, named);
  const taskOptions = { agent: `run ${run.id}`, isOptional: true, note };
  const task = await readTask(words, taskOptions);
  if (task === undefined)
    throw new UsageError(`Expected a text for the next turn; got none. ${usage}`);
  const own = omitUndefined({
    agent,
    model,
    fallbacks: fallback,
    timeoutSeconds: timeout,
    label,
    queue,
  });
  return await run.continue({
    ...own,
    task,
    ...(budget !== undefined && { budget: parseBudget(budget) }),
  });
}

/**
 * Returns the run that `named` names; for the empty string, the last run of the latest conversation.
 *
 * @throws UsageError when there is no conversation, CadreError `run-not-found`.
 */
export async function findConversation(cadre: Cadre, named: string): Promise<RunHandle> {
  return named === "" ? await findLatest(cadre) : await cadre.find(named);
}

const usage = 'Write it as cadre run --continue "what to do next".';

/** The number of conversations that are searched for one that can be continued. */
const maxSearched = 50;

async function findLatest(cadre: Cadre): Promise<RunHandle> {
  const conversations = await cadre.conversations({ limit: maxSearched });
  const latest = conversations.find(({ readsMessages }) => readsMessages);
  if (latest !== undefined) return await cadre.find(latest.lastRunId);
  throw new UsageError(
    "There is no conversation to continue here yet. Start one with cadre run TASK, or cadre on a terminal.",
  );
}

/**
 * Gives `--continue` and `-c` an empty value, so that the parser does not take the next word as the value: only `--continue=RUN` names
 * a run.
 */
export function separateContinue(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.map((word, index) => {
    const isOption = end < 0 || index < end;
    return isOption && (word === "-c" || word === "--continue") ? "--continue=" : word;
  });
}
