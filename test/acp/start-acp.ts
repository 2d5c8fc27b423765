import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { afterAll } from "vitest";
import { main, node, type Project } from "../cli/command-line.ts";

/** A process of `cadre acp`. */
export interface AcpProcess {
  stream: Stream;
  /** Its standard input and output, for what no client sends. */
  child: ChildProcess & { stdin: Writable; stdout: Readable };
  kill(): Promise<void>;
  /** Disconnects, and resolves with the exit code and the output on stderr. */
  leave(): Promise<{ code: number | null; stderr: string }>;
}

const processes = new Set<ChildProcess>();
afterAll(() => processes.forEach((child) => child.kill("SIGKILL")));

/** Starts `cadre acp` for the project. */
export function startAcp(place: Project, words: readonly string[] = []): AcpProcess {
  const child = spawn(node, [main, "acp", ...words], { cwd: place.path, env: place.environment });
  processes.add(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  const closed = once(child, "close");
  let stream: Stream | undefined;
  return {
    child,
    get stream() {
      return (stream ??= ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ));
    },
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
    async leave() {
      child.stdin.end();
      const [code] = (await closed) as [number | null];
      return { code, stderr };
    },
  };
}
