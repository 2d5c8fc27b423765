import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";

/**
 * The unanswered requests of a connection. A request whose id is in use must be refused: otherwise a response or a
 * cancellation could belong to either request.
 */
export interface OpenRequests {
  /** Adds all ids. If one is already in use, adds none and returns it. */
  begin(ids: readonly RequestId[]): RequestId | undefined;
  end(id: RequestId): void;
  /** Returns a transport that removes answered and cancelled requests. */
  transport: Transport;
}

/** Tracks the requests of a transport and drops those that `admit` refuses. */
export function trackRequests(
  transport: Transport,
  admit: (id: RequestId) => boolean = () => true,
): OpenRequests {
  const open = new Set<RequestId>();
  const wrapped: Transport = {
    start: () => transport.start(),
    close: () => transport.close(),
    async send(message, options) {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
        if (message.id !== undefined) open.delete(message.id);
      }
      await transport.send(message, options);
    },
  };
  const onmessage: NonNullable<Transport["onmessage"]> = (message, extra) => {
    if (isJSONRPCRequest(message) && !admit(message.id)) return;
    const cancelled = cancelledId(message);
    // A cancelled request gets no response.
    if (cancelled !== undefined) open.delete(cancelled);
    wrapped.onmessage?.(message, extra);
  };
  const onclose = (): void => wrapped.onclose?.();
  const onerror = (error: Error): void => wrapped.onerror?.(error);
  Object.assign(transport, { onmessage, onclose, onerror });
  return {
    begin(ids) {
      const fresh = new Set<RequestId>();
      for (const id of ids) {
        if (open.has(id) || fresh.has(id)) return id;
        fresh.add(id);
      }
      for (const id of fresh) open.add(id);
      return undefined;
    },
    end: (id) => void open.delete(id),
    transport: wrapped,
  };
}

/** Returns a transport that refuses requests whose id is in use. */
export function refuseRepeats(transport: Transport): Transport {
  const requests = trackRequests(transport, (id) => {
    const isNew = requests.begin([id]) === undefined;
    // Sent without an id: the client would take it for the response to the other request.
    if (!isNew) transport.send({ jsonrpc: "2.0", error: repeatError(id) }).catch(() => undefined);
    return isNew;
  });
  return requests.transport;
}

/** Returns the error for an id that is in use. */
export function repeatError(id: RequestId): { code: number; message: string } {
  const message = `The id ${JSON.stringify(id).slice(0, maxIdLength)} belongs to a request that is not answered yet. Give each request its own id.`;
  return { code: ProtocolErrorCode.InvalidRequest, message };
}

const maxIdLength = 100;

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") {
    return undefined;
  }
  return (message.params as { requestId?: RequestId } | undefined)?.requestId;
}
