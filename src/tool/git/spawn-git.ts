import { spawn } from "node:child_process";

/** How a process of git is executed. */
export interface GitExecution {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Standard input. */
  input: string;
  /** Whether it runs without a terminal, on which git or SSH would prompt and wait. */
  isDetached: boolean;
}

/** How a process of git ended. */
export interface GitEnd {
  /** `null`: a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The time limit of one git command, in milliseconds. Checking out a large tree takes a while. */
const gitMs = 300_000;
const maxBytes = 256 << 20;

/** Executes git. Rejects when it cannot be started, takes too long or writes too much. */
export async function spawnGit(
  words: readonly string[],
  { cwd, env, input, isDetached }: GitExecution,
): Promise<GitEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<GitEnd>();
  const child = spawn("git", [...words], { cwd, env, detached: isDetached });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  let bytes = 0;

  function end(reason: string): void {
    reject(new Error(reason));
    // A process without a terminal leads a group, so that its children, such as SSH, end too.
    if (isDetached && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  }
  const timer = setTimeout(() => end(`it took more than ${gitMs / 60_000} minutes`), gitMs);
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) end(`it wrote more than ${maxBytes >> 20} MB`);
  };
  child.stdout.on("data", collect(stdout));
  child.stderr.on("data", collect(stderr));
  child.once("error", reject);
  child.once("close", (code) => {
    resolve({ code, stdout: readText(stdout), stderr: readText(stderr) });
  });
  // Git may end before it has read all input; its exit code tells whether it failed.
  child.stdin.on("error", () => undefined).end(input);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function readText(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
