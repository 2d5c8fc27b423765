import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { node } from "../cli/command-line.ts";
import { commandFile } from "../cli/start-command.ts";
import { createRaw, type McpProject, type RawClient } from "./mcp-project.ts";

/** A `cadre mcp` process. */
export interface McpProcess {
  child: ChildProcess;
  /** The output on stderr so far. */
  readonly stderr: string;
  /** Resolves with the exit code, or the signal that ended the process. */
  ended: Promise<number | string | null>;
  /** Resolves with the match when stderr contains one. */
  saying(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts `cadre mcp words…`. It is killed when the test ends. */
export function startMcp(project: McpProject, words: readonly string[] = []): McpProcess {
  const child = spawn(node, [commandFile, "mcp", ...words], {
    cwd: project.folder,
    env: project.environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  return {
    child,
    ended,
    get stderr() {
      return stderr;
    },
    async saying(pattern) {
      for (;;) {
        const match = pattern.exec(stderr);
        if (match !== null) return match;
        const isEnd = await Promise.race([once(child.stderr, "data"), ended.then(() => true)]);
        if (isEnd === true && !pattern.test(stderr))
          throw new Error(`It ended, and said: ${stderr}`);
      }
    },
  };
}

/** Starts `cadre mcp` over stdio as a process, without a handshake. */
export function startRaw(
  project: McpProject,
  words: readonly string[] = [],
): RawClient & McpProcess {
  const started = startMcp(project, words);
  const { child, ended } = started;
  if (child.stdin === null || child.stdout === null) throw new Error("Expected pipes.");
  const closed = ended.then(() => `cadre mcp ended, and said: ${started.stderr}`);
  return Object.assign(started, createRaw(child.stdin, child.stdout, closed));
}
