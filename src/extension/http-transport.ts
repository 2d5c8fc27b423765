import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
} from "@modelcontextprotocol/client";
import { boundResponse } from "./bounded-body.ts";
import type { HttpLaunch } from "./launch-config.ts";

/** How a client speaks to a server over streamable HTTP. */
export interface HttpTransport {
  transport: StreamableHTTPClientTransport;
  /** Ends every connection. */
  destroy(): Promise<void>;
}

/** The code of the error that stands for an answer that will not come; it is none a server sends. */
export const lostAnswerCode = -32_099;

const connectMs = 15_000;

/**
 * A transport with headers of its own. Redirects to another origin are not followed, so the headers stay with the server
 * they are meant for. A call whose answer is lost with its connection fails at once.
 */
export async function createHttpTransport({ url, headers }: HttpLaunch): Promise<HttpTransport> {
  const { Agent, fetch } = await import("undici");
  // Calls have a time limit of their own, and the stream of a server may be silent for hours.
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
  });
  const request = fetch as unknown as typeof globalThis.fetch;
  const bounded: FetchLike = async (input, init) =>
    boundResponse(await request(input, { ...init, dispatcher } as unknown as RequestInit));
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: Object.fromEntries(headers) },
    fetch: bounded,
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(message, {
      ...options,
      onRequestStreamEnd() {
        options?.onRequestStreamEnd?.();
        for (const one of [message].flat()) reportLoss(transport, one);
      },
    });
  return { transport, destroy: () => dispatcher.destroy() };
}

/** Otherwise a call would wait for its time limit; when its answer did come, this one is ignored. */
function reportLoss(transport: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
  if (!isJSONRPCRequest(message)) return;
  const error = { code: lostAnswerCode, message: "the connection ended before the answer" };
  transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
}
