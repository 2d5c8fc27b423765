import { AsyncLocalStorage } from "node:async_hooks";

/** A position in a trace, in the form of the W3C Trace Context headers. */
export interface TraceContext {
  /** The header value, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  traceparent: string;
  tracestate?: string;
}

interface Position {
  trace: TraceContext;
  /** Whether it is the position of the caller who starts a family. Only a traced family passes it on. */
  isCaller: boolean;
}

/** Empty unless a run is traced. Reading it costs nanoseconds when it is empty. */
const storage = new AsyncLocalStorage<Position>();

/** Executes `work` at `trace`: its requests and commands belong to that span. */
export function withinTrace<Value>(trace: TraceContext, work: () => Value): Value {
  return storage.run({ trace, isCaller: false }, work);
}

/** Executes `work` for a caller at `trace`: families that it starts continue the caller's trace if they are traced. */
export function calledFromTrace<Value>(trace: TraceContext | undefined, work: () => Value): Value {
  return trace === undefined ? work() : storage.run({ trace, isCaller: true }, work);
}

/** Returns the position of the code that starts a family. */
export function callerTrace(): TraceContext | undefined {
  return storage.getStore()?.trace;
}

/** Returns the headers that continue the trace in another process; `undefined` when nothing is traced. */
export function traceHeaders(): Record<string, string> | undefined {
  const position = storage.getStore();
  return position === undefined || position.isCaller ? undefined : { ...position.trace };
}

/** Returns the environment variables that continue the trace in a command; empty when nothing is traced. */
export function traceVariables(): Record<string, string> {
  const headers = Object.entries(traceHeaders() ?? {});
  return Object.fromEntries(headers.map(([name, value]) => [name.toUpperCase(), value]));
}

const form = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;
const longest = 512;

/** Reads a trace context from outside of Cadre; `undefined` for invalid values, which the standard says to ignore. */
export function readTraceContext(
  traceparent: unknown,
  tracestate?: unknown,
): TraceContext | undefined {
  if (typeof traceparent !== "string" || traceparent.length > longest) return undefined;
  if (!form.test(traceparent)) return undefined;
  const isState =
    typeof tracestate === "string" &&
    tracestate.length <= longest &&
    /^[\x20-\x7e]+$/.test(tracestate);
  return { traceparent: traceparent.slice(0, 55), ...(isState && { tracestate }) };
}
