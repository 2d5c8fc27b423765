import type { HttpExtension } from "../../run/extension-config.ts";
import { type Connection, type ConnectionResources, noTimeoutMs } from "./connection.ts";
import { createServerClient } from "./create-client.ts";
import { describeHttpProblem } from "./http-problem.ts";
import { createHttpTransport, type HttpTransport } from "./http-transport.ts";
import { httpLaunch } from "../launch-config.ts";
import { orAbort } from "../../source/or-abort.ts";

/** The time limit for ending the session, in milliseconds. */
const farewellMs = 500;

/**
 * Connects to a server over HTTP and initializes the session.
 *
 * @throws Error with the problem, such as `it cannot be reached (ECONNREFUSED)`; CadreError for an invalid
 * configuration.
 */
export async function connectHttp(
  config: HttpExtension,
  resources: ConnectionResources,
): Promise<Connection> {
  const http = await createHttpTransport(httpLaunch(config, resources.environment));
  const client = createServerClient(resources, "auto");
  let end: string | null = null;
  try {
    await orAbort(client.connect(http.transport, { timeout: noTimeoutMs }), resources.signal);
  } catch (error) {
    await hangUp(http);
    throw new Error(describeHttpProblem(error), { cause: error });
  }
  return {
    client,
    end: () => end,
    async discard(reason) {
      end ??= reason;
      await hangUp(http);
    },
    async close() {
      end ??= "it was stopped";
      await hangUp(http);
    },
  };
}

async function hangUp({ transport, destroy }: HttpTransport): Promise<void> {
  const farewell = AbortSignal.timeout(farewellMs);
  // Ends the session so that the server can free its resources. A failure does not matter.
  await orAbort(transport.terminateSession(), farewell).catch(() => undefined);
  await transport.close();
  await destroy();
}
