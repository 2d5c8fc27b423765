import { PassThrough, Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { runCommandLine } from "../../src/cli/run-command-line.ts";

/** The environment of a command line. */
export interface CommandSurroundings {
  cwd: string;
  environment: Readonly<Record<string, string>>;
  input: string;
}

/** The output of a command and its exit code. */
export interface CommandOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/** The time limit of a command, in milliseconds. A command that hangs would block all later tests of this process. */
const limitMs = 80_000;

let last: Promise<unknown> = Promise.resolve();

/**
 * Executes `cadre words…` in this process, which takes a tenth of the CPU time of a separate process. The working folder,
 * environment and standard streams belong to the whole process, so command lines run one after another. A command line that waits
 * for another one needs a process.
 */
export async function runInProcess(
  words: readonly string[],
  surroundings: CommandSurroundings,
): Promise<CommandOutput> {
  const turn = last.then(async () => await runAlone(words, surroundings));
  last = turn.catch(() => undefined);
  return await turn;
}

async function runAlone(
  words: readonly string[],
  { cwd, environment, input }: CommandSurroundings,
): Promise<CommandOutput> {
  const chunks = input === "" ? [] : [Buffer.from(input)];
  const streams = { stdin: Readable.from(chunks), stdout: collect(), stderr: collect() };
  const before = {
    cwd: process.cwd(),
    environment: { ...process.env },
    streams: Object.fromEntries(
      Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)]),
    ) as PropertyDescriptorMap,
  };
  const limit = new AbortController();
  const tooLong = setTimeout(limitMs, undefined, { signal: limit.signal });
  tooLong.catch(() => undefined);
  process.chdir(cwd);
  setEnvironment(environment);
  Object.defineProperties(process, {
    stdin: { value: streams.stdin, configurable: true },
    stdout: { value: streams.stdout.stream, configurable: true },
    stderr: { value: streams.stderr.stream, configurable: true },
  });
  try {
    const code = await Promise.race([runCommandLine(words), tooLong]);
    if (code === undefined)
      throw new Error(
        `cadre ${words.join(" ")} did not end in ${limitMs / 1000} s. Its output: ${streams.stdout.text()}${streams.stderr.text()}`,
      );
    return { code, stdout: streams.stdout.text(), stderr: streams.stderr.text() };
  } finally {
    limit.abort();
    Object.defineProperties(process, before.streams);
    setEnvironment(before.environment);
    process.chdir(before.cwd);
  }
}

function collect(): { stream: PassThrough; text: () => string } {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}

/** Sets the environment without replacing the object `process.env`, because the home folder is read from the process itself. */
function setEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}
