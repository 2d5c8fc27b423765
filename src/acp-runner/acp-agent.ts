import { client, type ClientApp, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import type { Clock } from "../clock.ts";
import { describeProblem } from "../extension/describe-problem.ts";
import type { Environment } from "../extension/launch-config.ts";
import { type ServerProcess, startServerProcess } from "../extension/server-process.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { isRecord } from "../source/json.ts";
import { createAcpStream } from "./acp-stream.ts";
import { type AgentClient, serveAgent } from "./agent-client.ts";
import { type AgentAbilities, readAbilities } from "./agent-abilities.ts";
import { type Ask, askLoggedIn, readLogins } from "./log-in.ts";
import { toMcpServers } from "./mcp-servers.ts";
import { describeAnswer, runnerFailure } from "./runner-failure.ts";
import { type RunnerLaunch, runnerLaunch } from "./runner-launch.ts";
import { answerOrStop, answerWithin } from "./wait-for-answer.ts";

/** An agent that was started and greeted. */
export interface AcpAgent {
  abilities: AgentAbilities;
  /**
   * Asks it for something. A `session/prompt` has no time limit; when the signal aborts, the agent is told to stop. Everything
   * else has to be answered in time.
   *
   * @throws CadreError `model-error`, for all but a prompt `model-unavailable`, that says what went wrong and what the
   * agent had to say; the reason of the signal when that aborts.
   */
  ask: Ask;
  /** Its servers in the protocol's form. */
  offerServers: ReturnType<typeof toMcpServers>;
  /** Ends it, politely at first. */
  close(): Promise<void>;
  /** Ends it and everything it started at once. */
  kill(): Promise<void>;
}

/** What {@link startAcpAgent} needs. */
export interface AcpAgentOptions {
  /** As in a definition. */
  runner: string;
  /** What every process of the agent is marked with. */
  mark: string;
  /** Absolute. */
  workspace: string;
  /** Cadre's own. */
  environment: Environment;
  servers: readonly ExtensionConfig[];
  clock: Clock;
  /** Ends whatever is being asked. */
  signal: AbortSignal;
  /** Milliseconds that anything but a prompt may take; `npx` may have to download first. */
  answerMs: number;
  /** What the agent may ask for, and where its reports go. */
  client: AgentClient;
}

/**
 * Starts the process of an agent and greets it. Nothing is left of an attempt that fails.
 *
 * @throws CadreError `model-unavailable` that says why it cannot be used; the reason of `signal`.
 */
export async function startAcpAgent(options: AcpAgentOptions): Promise<AcpAgent> {
  const { runner, environment, workspace, mark } = options;
  const launch = runnerLaunch(runner, environment);
  const server = await startServerProcess(launch, workspace, mark).catch((error: Error) => {
    throw runnerFailure(runner, error.message);
  });
  let abilities: AgentAbilities | undefined;
  const app = serveAgent(client({ name: "cadre" }), options.client, () => abilities);
  const line = openLine(options, { launch, server, app });
  try {
    const greeting = await line.ask("initialize", {
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
    const ask: Ask = async (...question) => await askLoggedIn(line.ask, logins, ...question);
    return { ...line, ask, abilities, offerServers };
  } catch (error) {
    await line.kill();
    throw error;
  }
}

type Line = Pick<AcpAgent, "ask" | "close" | "kill">;

/** The connection with a process, and what becomes of it. */
function openLine(
  options: AcpAgentOptions,
  { launch, server, app }: { launch: RunnerLaunch; server: ServerProcess; app: ClientApp },
): Line {
  const { signal } = options;
  const stream = createAcpStream(server, options.client.update);
  const connection = app.connect(stream);
  let isEnding = false;

  async function request(
    method: string,
    params: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    // Not by the protocol's own types: what an agent answers is checked where it is used.
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
      // It has a moment to end by itself, so that its own exit code is told.
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
