import { resolve } from "node:path";
import { ProtocolError } from "@modelcontextprotocol/client";
import type { StdioExtension } from "../../run/extension-config.ts";
import { type Connection, type ConnectionResources, noTimeoutMs } from "./connection.ts";
import { createServerClient, type Generation } from "./create-client.ts";
import { describeProblem } from "./describe-problem.ts";
import { processLaunch } from "../launch-config.ts";
import { orAbort } from "../../source/or-abort.ts";
import { plainText } from "../plain-text.ts";
import { startServerProcess } from "./server-process.ts";
import { createProcessTransport } from "./stdio-transport.ts";
import { errorMessage } from "../../error-message.ts";

/**
 * Starts the process of a server and initializes the session. A failed attempt leaves no process behind.
 *
 * @throws Error with the problem, such as `it ended (exit code 1)`; CadreError for an invalid configuration.
 */
export async function connectProcess(
  config: StdioExtension,
  resources: ConnectionResources,
): Promise<Connection> {
  // The older protocol is tried first: a server that knows only that one may exit or hang at an unknown request.
  const first = await greetProcess(config, resources, "legacy");
  if (first.type === "greeted") return first.connection;
  const second = await greetProcess(config, resources, { pin: "2026-07-28" });
  if (second.type === "greeted") return second.connection;
  throw new Error(`it refused the initialization: ${plainText(first.refusal.message)}`);
}

type Greeting =
  | { type: "greeted"; connection: Connection }
  /** The server answered with an error. */
  | { type: "refused"; refusal: ProtocolError };

async function greetProcess(
  config: StdioExtension,
  resources: ConnectionResources,
  generation: Generation,
): Promise<Greeting> {
  const launch = processLaunch(config, resources.environment);
  const server = await startServerProcess(launch, resolve(resources.workspace, config.cwd ?? ""));
  const transport = createProcessTransport(server);
  let end: string | null = null;
  void server.ended.then(
    (how) => (end = describeProblem(`it ended (${how})`, transport.noise(), server)),
  );
  const client = createServerClient(resources, generation);
  try {
    await orAbort(client.connect(transport, { timeout: noTimeoutMs }), resources.signal);
  } catch (error) {
    const endedItself = end;
    await server.stop();
    if (error instanceof ProtocolError) return { type: "refused", refusal: error };
    const problem = errorMessage(error);
    throw new Error(endedItself ?? describeProblem(problem, transport.noise(), server), {
      cause: error,
    });
  }
  const connection: Connection = {
    client,
    end: () => end,
    async discard() {
      server.kill();
      await server.ended;
    },
    close: () => server.stop(),
  };
  return { type: "greeted", connection };
}
