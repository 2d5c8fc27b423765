import { createHash, randomBytes } from "node:crypto";

/** The ids of a span: 32 and 16 lowercase hexadecimal digits. */
export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** Generates the ids of spans: the `idGenerator` of OpenTelemetry's tracer providers. */
export interface SpanIdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

/** The ids of the span being started. The tracer interface has no parameter for them. */
let next: SpanIds | undefined;

/**
 * Creates the id generator for your own tracer provider. Cadre's spans get ids derived from the ids of runs and steps, so a process that
 * resumes a family continues its trace. All other spans get random ids.
 */
export function createIdGenerator(): SpanIdGenerator {
  return {
    generateTraceId: () => next?.traceId ?? randomBytes(16).toString("hex"),
    generateSpanId: () => next?.spanId ?? randomBytes(8).toString("hex"),
  };
}

/** Calls `start`, which starts a span. The span gets `ids` if the tracer provider has the generator of {@link createIdGenerator}. */
export function withIds<Value>(ids: SpanIds, start: () => Value): Value {
  next = ids;
  try {
    return start();
  } finally {
    next = undefined;
  }
}

/** Returns the trace id of a family outside any caller's trace. */
export function traceIdOf(rootId: string): string {
  return digest(`trace ${rootId}`).slice(0, 32);
}

/** Returns the span id of a run or of one of its steps. */
export function spanIdOf(runId: string, stepKey?: string): string {
  return digest(stepKey === undefined ? `run ${runId}` : `step ${runId} ${stepKey}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
