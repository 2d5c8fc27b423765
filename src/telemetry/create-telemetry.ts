import { context, createNoopMeter, ProxyTracerProvider, trace } from "@opentelemetry/api";
import type { Clock } from "../clock.ts";
import { toFailure } from "../engine/run-failed.ts";
import type { Tracing } from "../engine/run-context/tracing.ts";
import type { RunListener } from "../registry/registry.ts";
import { callerTrace, readTraceContext, withinTrace } from "../trace-context.ts";
import { createProjection } from "./project-events.ts";
import { createMetrics } from "./record-metrics.ts";
import { createOpenSpans, type OpenRun, withActive, writeSpanContext } from "./span/open-spans.ts";
import { spanIdOf } from "./span/ids.ts";
import { createContentWriter } from "./span/redact-content.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** The projection of the journal to OpenTelemetry. */
export interface Telemetry {
  tracing: Tracing;
  /** Receives the durable events of this process. */
  listener: RunListener;
  /** Sends the remaining spans, if this process created the exporters; resolves within seconds. */
  close(): Promise<void>;
}

/** Services of {@link createTelemetry}, in addition to the user's options. */
export interface TelemetryServices {
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  /** The version of Cadre. */
  version: string;
}

const name = "cadre";

/** Creates the projection for the providers in `options`. */
export function createTelemetry(
  { tracerProvider, meterProvider, captureContent }: TelemetryOptions,
  { clock, environment, version }: TelemetryServices,
): Omit<Telemetry, "close"> {
  const tracer = (tracerProvider ?? new ProxyTracerProvider()).getTracer(name, version);
  const meter = meterProvider?.getMeter(name, version) ?? createNoopMeter();
  const spans = createOpenSpans(tracer);
  const write = createContentWriter(captureContent, environment);
  const warn = createForeignIdWarning();

  const tracing: Tracing = {
    caller: () =>
      callerTrace() ?? writeSpanContext(trace.getSpanContext(context.active())) ?? inherited(),
    async run({ run, definition }, work) {
      const open = spans.openRun(run);
      open.isRunner = definition.runner !== undefined;
      if (definition.description !== "") {
        open.span.setAttribute("gen_ai.agent.description", definition.description);
      }
      if (run.startedAt !== null) warn(open);
      return await within(open.span, work);
    },
    async step(runId, step, work) {
      const run = spans.get(runId);
      if (run === undefined || step.kind === "note") return await work();
      const open = spans.openStep(run, step, clock.now());
      try {
        return await within(open.span, work);
      } catch (error) {
        open.failed = { at: clock.now(), code: toFailure(error).code };
        throw error;
      }
    },
  };

  function inherited(): ReturnType<Tracing["caller"]> {
    return readTraceContext(environment["TRACEPARENT"], environment["TRACESTATE"]);
  }

  return {
    tracing,
    listener: createProjection({ spans, metrics: createMetrics(meter), write }),
  };
}

function within<Value>(span: OpenRun["span"], work: () => Value): Value {
  const position = writeSpanContext(span.spanContext());
  const active = (): Value => withActive(span, work);
  return position === undefined ? active() : withinTrace(position, active);
}

/** Warns once when a resumed family cannot continue its trace. */
function createForeignIdWarning(): (open: OpenRun) => void {
  let isWarned = false;
  return ({ run, span }) => {
    const { spanId } = span.spanContext();
    if (isWarned || !span.isRecording() || spanId === spanIdOf(run.id)) return;
    isWarned = true;
    process.emitWarning(
      "The tracer provider given to createCadre makes its own span ids, so the traces of resumed families are split. Create it with `idGenerator: createIdGenerator()` of cadre/telemetry.",
    );
  };
}
