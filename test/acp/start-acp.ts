import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { Command } from "commander";
import { serveAcp } from "../../src/acp/serve-acp.ts";
import {
  addRightOptions,
  type GrantOptions,
  toGrants,
} from "../../src/cli/arguments/grant-options.ts";
import { node, type Project } from "../cli/command-line.ts";
import { built } from "../fixtures/process/built.ts";
import { atFileEnd } from "../at-file-end.ts";

/** A connection of a test to an agent. */
export interface AcpConnection {
  /** The agent's messages, for a client. */
  stream: Stream;
  /** The agent's raw input, for messages that no client sends. */
  input: Writable;
  output: Readable;
  /** Disconnects. Resolves with the exit code and the output on stderr. */
  leave(): Promise<{ code: number | null; stderr: string }>;
}

/** A process of `cadre acp`. */
export interface AcpProcess extends AcpConnection {
  kill(): Promise<void>;
}

/**
 * Starts `cadre acp words…` for the project in this process, which takes a tenth of the CPU time of a separate one. A test that kills
 * the process, or needs a real process for another reason, uses {@link startAcpProcess}. Both end with the file of the test at the latest.
 */
export function startAcp(project: Project, words: readonly string[] = []): AcpConnection {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ending = new AbortController();
  atFileEnd(() => ending.abort());
  const { path: cwd, home, environment } = project;
  let stderr = "";
  const served = serveAcp({
    options: { ...readGrants(words), engine: "local", cwd, home, environment },
    version: "1",
    input,
    output,
    log: (line) => (stderr += `cadre acp: ${line}\n`),
    signal: ending.signal,
  });
  return connect(input, output, async () => {
    await served;
    return { code: 0, stderr };
  });
}

/** Starts `cadre acp words…` for the project, as a process of the built command. */
export async function startAcpProcess(
  project: Project,
  words: readonly string[] = [],
): Promise<AcpProcess> {
  const child = spawn(node, [await built("command"), "acp", ...words], {
    cwd: project.path,
    env: project.environment,
  });
  atFileEnd(() => child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  const closed = once(child, "close") as Promise<[number | null]>;
  const connection = connect(child.stdin, child.stdout, async () => {
    const [code] = await closed;
    return { code, stderr };
  });
  return Object.assign(connection, {
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
  });
}

/** Parses the rights that the command line grants. */
function readGrants(words: readonly string[]): ReturnType<typeof toGrants> {
  const command = addRightOptions(new Command("acp"), "sessions").parse([...words], {
    from: "user",
  });
  return toGrants(command.opts<GrantOptions>());
}

function connect(
  input: Writable,
  output: Readable,
  end: () => ReturnType<AcpConnection["leave"]>,
): AcpConnection {
  let stream: Stream | undefined;
  return {
    input,
    output,
    get stream() {
      return (stream ??= ndJsonStream(
        Writable.toWeb(input) as WritableStream<Uint8Array>,
        Readable.toWeb(output) as ReadableStream<Uint8Array>,
      ));
    },
    async leave() {
      input.end();
      return await end();
    },
  };
}
