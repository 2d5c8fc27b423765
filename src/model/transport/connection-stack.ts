import type { Client as UndiciClient, Dispatcher as UndiciDispatcher } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";

/** The options of a {@link ConnectionStack}: options of each connection, and the maximum number of connections. */
export interface ConnectionStackOptions extends Pick<
  UndiciClient.Options,
  "keepAliveTimeout" | "headersTimeout" | "bodyTimeout"
> {
  /** The maximum number of connections. Further requests wait in order. */
  connections: number;
}

type Waiting = readonly [UndiciDispatcher.DispatchOptions, UndiciDispatcher.DispatchHandler];

/** Shared, because a client that creates its own connector also keeps a cache of TLS sessions. */
const connect = buildConnector({});

/**
 * Sends requests to an `http:` origin, one at a time over each connection. It reuses the connection that became free last,
 * because servers close connections that stay idle.
 * undici's `Pool` searches all its connections for each request. It remains in use for `https:`, where requests may share a
 * connection (HTTP/2).
 */
export class ConnectionStack extends Dispatcher {
  readonly #origin: string | URL;
  readonly #options: ConnectionStackOptions;
  readonly #free: Client[] = [];
  readonly #busy = new Set<Client>();
  readonly #waiting: Waiting[] = [];

  constructor(origin: string | URL, options: ConnectionStackOptions) {
    super();
    this.#origin = origin;
    this.#options = options;
  }

  override dispatch(...[options, handler]: Waiting): boolean {
    const client = this.#free.pop() ?? this.#open();
    if (client === undefined) {
      this.#waiting.push([options, handler]);
      return false;
    }
    this.#busy.add(client);
    client.dispatch(options, handler);
    return true;
  }

  override async destroy(): Promise<void> {
    const clients = [...this.#free, ...this.#busy];
    const destroyed = clients.map((client) => client.destroy());
    // A destroyed client refuses requests with its error.
    for (const waiting of this.#waiting.splice(0)) clients[0]?.dispatch(...waiting);
    await Promise.all(destroyed);
  }

  #open(): Client | undefined {
    if (this.#busy.size >= this.#options.connections) return undefined;
    const client = new Client(this.#origin, { ...this.#options, connect });
    client.on("drain", () => this.#release(client));
    return client;
  }

  /** Gives the connection to the next request. A client emits `drain` after each request, successful or not. */
  #release(client: Client): void {
    const next = this.#waiting.shift();
    if (next !== undefined) client.dispatch(...next);
    else if (this.#busy.delete(client)) this.#free.push(client);
  }
}
