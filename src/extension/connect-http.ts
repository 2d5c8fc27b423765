import type { HttpExtension } from "../run/extension-config.ts";
import { type Connection, type ConnectPlace, noTimeoutMs } from "./connection.ts";
import { createClient } from "./create-client.ts";
import { describeHttpProblem } from "./http-problem.ts";
import { createHttpTransport, type HttpTransport } from "./http-transport.ts";
import { httpLaunch } from "./launch-config.ts";
import { orAbort } from "../source/or-abort.ts";

/** How long a server may take to hear that it is not needed any more. */
const farewellMs = 500;

/**
 * Reaches a server over HTTP and greets it.
 *
 * @throws Error that says what went wrong, as in `it cannot be reached (ECONNREFUSED)`; CadreError for the configuration.
 */
export async function connectHttp(config: HttpExtension, place: ConnectPlace): Promise<Connection> {
  const http = await createHttpTransport(httpLaunch(config, place.environment));
  const client = createClient(place, "auto");
  let end: string | null = null;
  try {
    await orAbort(client.connect(http.transport, { timeout: noTimeoutMs }), place.signal);
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
  // It may keep what it holds for us until it is told; whether it listens is its business.
  await orAbort(transport.terminateSession(), farewell).catch(() => undefined);
  await transport.close();
  await destroy();
}
