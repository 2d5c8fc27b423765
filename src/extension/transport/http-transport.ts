import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
} from "@modelcontextprotocol/client";
import { boundResponse } from "./bounded-body.ts";
import { traceHeaders } from "../../trace-context.ts";
import type { HttpLaunch } from "../launch-config.ts";

/** A client's transport over streamable HTTP. */
export interface HttpTransport {
  transport: StreamableHTTPClientTransport;
  /** Closes every connection. */
  destroy(): Promise<void>;
}

/** The error code for a lost answer. No server sends it. */
export const lostAnswerCode = -32_099;

const connectMs = 15_000;

/**
 * Creates a transport with fixed headers. It does not follow redirects to another origin, because that origin must not receive the
 * headers. A call fails at once when its connection breaks.
 */
export async function createHttpTransport({ url, headers }: HttpLaunch): Promise<HttpTransport> {
  const { Agent, fetch } = await import("undici");
  // Calls have their own time limits, and a server's stream may be silent for hours.
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
  });
  const request = fetch as unknown as typeof globalThis.fetch;
  const bounded: FetchLike = async (input, init) => {
    const sent = { ...init, ...withTraceHeaders(init), dispatcher };
    return boundResponse(await request(input, sent as unknown as RequestInit));
  };
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

function withTraceHeaders(init: RequestInit | undefined): Pick<RequestInit, "headers"> {
  const trace = traceHeaders();
  if (trace === undefined) return {};
  return { headers: { ...Object.fromEntries(new Headers(init?.headers)), ...trace } };
}

/** Fails a call at once instead of at its time limit. If its answer has arrived, this error is ignored. */
function reportLoss(transport: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
  if (!isJSONRPCRequest(message)) return;
  const error = { code: lostAnswerCode, message: "the connection ended before the answer" };
  transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
}
