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
 * The requests of a connection that are not answered yet. One with the id of another is to be refused: with two of them
 * nobody could tell whose answer is whose, or which one is to be cancelled.
 */
export interface OpenRequests {
  /** Takes the ids, or none of them and says which one is taken. */
  begin(ids: readonly RequestId[]): RequestId | undefined;
  end(id: RequestId): void;
  /** The same transport; what is answered or cancelled on it has ended. */
  transport: Transport;
}

/** Follows the requests of a transport, of which `admit` lets none through that it has an objection to. */
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
    // It is not answered any more.
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

/** The same transport without the requests whose id is taken. */
export function refuseRepeats(transport: Transport): Transport {
  const requests = trackRequests(transport, (id) => {
    const isNew = requests.begin([id]) === undefined;
    // Without an id: with it this would be taken for the answer to the other.
    if (!isNew) transport.send({ jsonrpc: "2.0", error: repeatError(id) }).catch(() => undefined);
    return isNew;
  });
  return requests.transport;
}

/** What is said to a client that used an id twice. */
export function repeatError(id: RequestId): { code: number; message: string } {
  const message = `The id ${JSON.stringify(id).slice(0, longestId)} is that of a request that is not answered yet. Give each request an id of its own.`;
  return { code: ProtocolErrorCode.InvalidRequest, message };
}

const longestId = 100;

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") {
    return undefined;
  }
  return (message.params as { requestId?: RequestId } | undefined)?.requestId;
}
