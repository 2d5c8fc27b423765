// Runners: agents in other programs, which Cadre starts and instructs over ACP.

import { client, type ClientApp, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import type { Clock } from "../clock.ts";
import { describeProblem } from "../extension/transport/describe-problem.ts";
import type { ProcessEnvironment } from "../source/process-environment.ts";
import { type ServerProcess, startServerProcess } from "../extension/transport/server-process.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { isRecord } from "../source/json.ts";
import { createAcpStream } from "./acp-stream.ts";
import { type AgentClient, serveAgent } from "./agent-client.ts";
import { type AgentAbilities, readAbilities } from "./agent-abilities.ts";
import { type AskAgent, askLoggedIn, readLogins } from "./log-in.ts";
import { toMcpServers } from "./mcp-servers.ts";
import { describeAnswer, runnerFailure } from "./runner-failure.ts";
import { type RunnerLaunch, runnerLaunch } from "./runner-launch.ts";
import { answerOrStop, answerWithin } from "./wait-for-answer.ts";

/** A started and initialized agent. */
export interface AcpAgent {
  abilities: AgentAbilities;
  /**
   * Sends a request. A `session/prompt` has no time limit; when the signal aborts, the agent is told to cancel it. Other requests
   * have the time limit `answerMs`.
   *
   * @throws CadreError with the problem and the agent's own message: `model-error` for a prompt, `model-unavailable`
   * for other requests. Throws the reason of the signal when it aborts.
   */
  ask: AskAgent;
  /** The MCP servers of the run in the protocol's form. */
  offerServers: ReturnType<typeof toMcpServers>;
  /** Stops the agent in steps, from closing its input to SIGKILL. */
  close(): Promise<void>;
  /** Kills the agent and all processes it started. */
  kill(): Promise<void>;
}

/** Options of {@link startAcpAgent}. */
export interface AcpAgentOptions {
  /** The runner as in a definition: `acp:COMMAND args…`. */
  runner: string;
  /** The mark of every process of the agent. */
  mark: string;
  /** An absolute path. */
  workspace: string;
  /** The environment of Cadre. */
  environment: ProcessEnvironment;
  servers: readonly ExtensionConfig[];
  clock: Clock;
  /** Aborts requests in progress. */
  signal: AbortSignal;
  /** The time limit of requests other than prompts, in milliseconds. `npx` may have to download the agent first. */
  answerMs: number;
  /** Handles the agent's requests and reports. */
  client: AgentClient;
}

/**
 * Starts the process of an agent and initializes it. A failed attempt leaves no process behind.
 *
 * @throws CadreError `model-unavailable` with the reason why the agent is unusable; throws the reason of `signal` when it
 * aborts.
 */
export async function startAcpAgent(options: AcpAgentOptions): Promise<AcpAgent> {
  const { runner, environment, workspace, mark } = options;
  const launch = runnerLaunch(runner, environment);
  const server = await startServerProcess(launch, workspace, mark).catch((error: Error) => {
    throw runnerFailure(runner, error.message);
  });
  let abilities: AgentAbilities | undefined;
  const app = serveAgent(client({ name: "cadre" }), options.client, () => abilities);
  const connected = openConnection(options, { launch, server, app });
  try {
    const greeting = await connected.ask("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
      clientInfo: { name: "cadre", version: "1" },
    });
    abilities = readAbilities(greeting);
    if (abilities.version !== PROTOCOL_VERSION) {
      const problem = `it speaks version ${abilities.version} of the protocol; version ${PROTOCOL_VERSION} was expected`;
      throw runnerFailure(runner, problem);
    }
    const offerServers = toMcpServers(options.servers, environment, abilities.takesHttp);
    const logins = readLogins(greeting["authMethods"], launch.environment);
    const ask: AskAgent = async (...question) =>
      await askLoggedIn(connected.ask, logins, ...question);
    return { ...connected, ask, abilities, offerServers };
  } catch (error) {
    await connected.kill();
    throw error;
  }
}

type AgentConnection = Pick<AcpAgent, "ask" | "close" | "kill">;

/** Opens the connection to the agent's process. */
function openConnection(
  options: AcpAgentOptions,
  { launch, server, app }: { launch: RunnerLaunch; server: ServerProcess; app: ClientApp },
): AgentConnection {
  const { signal } = options;
  const stream = createAcpStream(server, options.client.update);
  const connection = app.connect(stream);
  let isEnding = false;

  async function request(
    method: string,
    params: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    // Untyped: each response is validated where it is used.
    const answer = connection.agent.request(method, params);
    const result = await (method === "session/prompt"
      ? answerOrStop(answer, () => cancel(params["sessionId"]), options)
      : answerWithin(answer, options.answerMs, options));
    return isRecord(result) ? result : {};
  }

  function cancel(sessionId: unknown): void {
    connection.agent.notify("session/cancel", { sessionId }).catch(() => undefined);
  }

  async function explain(method: string, cause: unknown): Promise<unknown> {
    if (signal.aborted || isEnding) return signal.reason ?? cause;
    let problem = `${method} failed: ${describeAnswer(cause)}`;
    if (connection.signal.aborted) {
      // Lets the process exit first, so that the message can include its exit code.
      await server.stop();
      problem = `it ended during ${method} (${await server.ended})`;
    }
    const describe = (plain: string): string =>
      launch.redact(describeProblem(plain, stream.noise(), server));
    return runnerFailure(options.runner, problem, { method, cause, describe });
  }

  return {
    async ask(method, params) {
      signal.throwIfAborted();
      try {
        return await request(method, params);
      } catch (error) {
        throw await explain(method, error);
      }
    },
    async close() {
      isEnding = true;
      await server.stop();
      connection.close();
    },
    async kill() {
      isEnding = true;
      server.kill();
      await server.ended;
      connection.close();
    },
  };
}
