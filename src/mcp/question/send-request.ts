import type { ServerContext } from "@modelcontextprotocol/server";
import type { HostRequest } from "./question-pool.ts";

/** Sends a request to the client and waits for its response. */
export type SendRequest = (request: HostRequest, signal: AbortSignal) => Promise<unknown>;

/** The maximum delay of a timer, in milliseconds: people may answer hours later. */
const maxMs = 2 ** 31 - 1;

/** Sends a question to a client of 2025-11-25 or earlier over the connection of `sender`. */
export function sendRequest({
  mcpReq,
}: {
  mcpReq: Pick<ServerContext["mcpReq"], "send">;
}): SendRequest {
  return async (request, signal) => {
    const options = { signal, timeout: maxMs };
    return request.method === "elicitation/create"
      ? await mcpReq.send({ method: request.method, params: request.params }, options)
      : await mcpReq.send({ method: request.method, params: request.params }, options);
  };
}
