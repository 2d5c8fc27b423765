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
 * The same transport, on which a request with the id of one that is not answered yet is refused: with two of them nobody
 * could tell whose answer is whose, or which one is to be cancelled.
 */
export function refuseRepeats(transport: Transport): Transport {
  const open = new Set<RequestId>();
  const { send, onmessage: _, ...rest } = bindAll(transport);
  const wrapped: Transport = {
    ...rest,
    async send(message, options) {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
        if (message.id !== undefined) open.delete(message.id);
      }
      await send(message, options);
    },
  };
  const onmessage: NonNullable<Transport["onmessage"]> = (message, extra) => {
    if (isJSONRPCRequest(message)) {
      if (open.has(message.id)) {
        refuse(message.id, send);
        return;
      }
      open.add(message.id);
    }
    const cancelled = cancelledId(message);
    // It is not answered any more.
    if (cancelled !== undefined) open.delete(cancelled);
    wrapped.onmessage?.(message, extra);
  };
  const onclose = (): void => wrapped.onclose?.();
  const onerror = (error: Error): void => wrapped.onerror?.(error);
  Object.assign(transport, { onmessage, onclose, onerror });
  return wrapped;
}

function refuse(id: RequestId, send: Transport["send"]): void {
  const message = `The id ${JSON.stringify(id)} is that of a request that is not answered yet. Give each request an id of its own.`;
  const error = { code: ProtocolErrorCode.InvalidRequest, message };
  // Without one: with the id it would be taken for the answer to the other.
  send({ jsonrpc: "2.0", error }).catch(() => undefined);
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") {
    return undefined;
  }
  return (message.params as { requestId?: RequestId } | undefined)?.requestId;
}

function bindAll(transport: Transport): Transport {
  return {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };
}
