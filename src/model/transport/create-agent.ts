import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { ConnectionStack, type ConnectionStackOptions } from "./connection-stack.ts";

/** Creates a dispatcher for requests to any origin, without a proxy. */
export function createAgent(options: ConnectionStackOptions): Dispatcher {
  return new Agent({
    ...options,
    factory(origin, given) {
      const isPlain = new URL(origin).protocol === "http:";
      return isPlain ? new ConnectionStack(origin, options) : new Pool(origin, given);
    },
  });
}
