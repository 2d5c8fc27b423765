import { execFile, fork } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Measurement } from "./measure.ts";

/** The time after which a program counts as failed, in milliseconds. */
export const timeoutMs: number = 10 * 60_000;

/** Runs a model server during `use`, which receives its base URL. */
export async function withModelServer<Value>(
  latencyMs: number,
  use: (baseUrl: string) => Promise<Value>,
): Promise<Value> {
  const server = fork(join(import.meta.dirname, "model-server.ts"), [String(latencyMs)]);
  const port = await new Promise<number>((resolve) => server.once("message", resolve));
  try {
    return await use(`http://127.0.0.1:${port}/v1`);
  } finally {
    server.kill();
  }
}

/**
 * Measures a program in a separate process. The program gets few environment variables, because others, such as those that
 * turn traces on, change the measurement. `variables` are added to them. Rejects as `execFile` does.
 */
export async function measureProgram(
  path: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Measurement> {
  const { PATH, HOME, TMPDIR } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], {
    env: { PATH, HOME, TMPDIR, MASTRA_TELEMETRY_DISABLED: "1", ...variables },
    maxBuffer: 1 << 26,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  return JSON.parse(stdout) as Measurement;
}
