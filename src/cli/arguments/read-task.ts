import { once } from "node:events";
import { fstatSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { UsageError } from "./usage-error.ts";

/** Options of {@link readTask}. */
interface ReadTaskOptions {
  agent: string;
  /** Whether the agent can run without a task. */
  isOptional: boolean;
  /** Shows the user a line while the command waits. */
  note: (line: string) => void;
}

/**
 * Returns the task: the words, followed by standard input unless it is a terminal; `undefined` when there is none and the
 * agent needs none.
 *
 * @throws UsageError when a required task is missing or the input is too long.
 */
export async function readTask(
  words: readonly string[],
  { agent, isOptional, note }: ReadTaskOptions,
): Promise<string | undefined> {
  const given = words.join(" ");
  const isNeeded = given.trim() === "" && !isOptional;
  const piped = process.stdin.isTTY ? "" : await readInput(isNeeded, note);
  const task = [given, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (task !== "") return task;
  if (isOptional) return undefined;
  throw new UsageError(
    `Expected a task for ${agent}; got none. Write it after the name (cadre run ${agent} "what to do") or pipe it in (cadre run ${agent} < task.txt).`,
  );
}

/** No model reads more, and a pipe may never end. */
const maxInputBytes = 16 * 1024 * 1024;

/** Milliseconds without input after which the user is told that the command waits. */
const inputWaitMs = 3000;

async function readInput(isNeeded: boolean, note: ReadTaskOptions["note"]): Promise<string> {
  if (!(await hasInput(process.stdin))) {
    if (!isNeeded && !isPipe()) {
      note("Standard input is open but has no data; continuing without it.");
      return "";
    }
    note("Waiting for standard input. If there is none, add: < /dev/null");
  }
  return await readAll(process.stdin);
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxInputBytes) {
      throw new UsageError(
        `Expected a task of at most ${maxInputBytes} bytes; more was piped in. Write it to a file and name the file in the task.`,
      );
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reports whether data or the end of input arrives within {@link inputWaitMs}. */
async function hasInput(stdin: NodeJS.ReadStream): Promise<boolean> {
  const settled = new AbortController();
  const { signal } = settled;
  const readable = once(stdin, "readable", { signal }).then(() => true);
  const late = wait(inputWaitMs, false, { signal });
  try {
    const isThere = await Promise.race([readable, late]);
    return isThere;
  } finally {
    settled.abort();
    await Promise.allSettled([readable, late]);
  }
}

/**
 * Reports whether standard input is a pipe from another command, whose output may take long. A program that starts this one
 * often leaves a socket open without writing to it.
 */
function isPipe(): boolean {
  return fstatSync(process.stdin.fd).isFIFO();
}
