/** Spans of runs that ended earlier, created by the projection that also creates them while runs execute. */

import { createNoopMeter } from "@opentelemetry/api";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { createCallIds } from "../engine/tool-call/call-ids.ts";
import type { RecordedReply } from "../engine/loop/turns.ts";
import type { StepCall } from "../engine/run-context/step.ts";
import type { RunEvent } from "../run/event.ts";
import type { Run } from "../run/run.ts";
import { applyEvent } from "../run/transition.ts";
import { isRecord } from "../source/json.ts";
import { createProjection } from "./project-events.ts";
import { createMetrics } from "./record-metrics.ts";
import { describeProcess } from "./sdk/describe-process.ts";
import { createIdGenerator } from "./span/ids.ts";
import { createOpenSpans, type OpenSpans } from "./span/open-spans.ts";
import { createContentWriter } from "./span/redact-content.ts";
import type { TraceExportOptions } from "./trace-export-options.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** The maximum number of spans in a request. */
const spansOfRequest = 1000;

/** Implements `exportTraces`. */
export function replayJournals(
  journals: readonly (readonly RunEvent[])[],
  options: TraceExportOptions,
): string {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: describeProcess(options),
    sampler: new AlwaysOnSampler(),
    idGenerator: createIdGenerator(),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const spans = createOpenSpans(provider.getTracer("cadre", options.version));
  const project = createProjection({
    spans,
    metrics: createMetrics(createNoopMeter()),
    write: createContentWriter(options.hasContent, options.environment),
  });
  const replays = journals.map((journal) => createReplay(journal, { spans, project }));
  const moments = replays.flatMap((replay) => replay.moments);
  // The events of each run keep their order, and those of a parent come first.
  for (const { act } of moments.toSorted((one, other) => one.at - other.at)) act();
  for (const { end } of replays) end();
  return writeRequests(exporter.getFinishedSpans());
}

function writeRequests(spans: readonly ReadableSpan[]): string {
  const decoder = new TextDecoder();
  let text = "";
  for (let from = 0; from < spans.length; from += spansOfRequest) {
    const request = JsonTraceSerializer.serializeRequest(spans.slice(from, from + spansOfRequest));
    text += `${decoder.decode(request)}\n`;
  }
  return text;
}

/** A moment in a run. */
interface Moment {
  /** Epoch milliseconds, never less than those of the previous moment. */
  at: number;
  act(): void;
}

interface Replay {
  moments: readonly Moment[];
  /** Ends the spans of an unfinished run at its last event. */
  end(): void;
}

interface ReplayState {
  spans: OpenSpans;
  project: (event: RunEvent, run: Run) => void;
}

/** Prepares the replay of a run's journal. */
function createReplay(journal: readonly RunEvent[], { spans, project }: ReplayState): Replay {
  const isRunner = journal.some(isOfRunner);
  const calls = createCalls();
  let run: Run | undefined;

  function apply(event: RunEvent): void {
    run = applyEvent(run, event);
    calls.note(event);
    const open = spans.openRun(run);
    open.isRunner = isRunner;
    // An interrupted step begins again in the next process.
    if (event.type === "run-started") open.steps.clear();
    if (event.type === "step-started") {
      const { key, tool } = event;
      const call = calls.get(key) ?? (tool === undefined ? undefined : { tool });
      spans.openStep(open, { key, kind: "tool", ...omitUndefined({ call }) }, event.at);
    }
    project(event, run);
  }

  /** Begins the span of a request at its start time, because the journal records only its end. */
  function begin(key: string, at: number): void {
    // A fork begins with recorded steps of another run.
    if (run === undefined || run.startedAt === null) return;
    spans.openStep(spans.openRun(run), { key, kind: "model" }, at);
  }

  return {
    moments: inOrder(journal, { apply, begin }),
    end() {
      const open = run === undefined ? undefined : spans.get(run.id);
      if (open === undefined) return;
      const at = new Date(open.run.lastEventAt);
      for (const span of [...[...open.steps.values()].map((step) => step.span), open.span]) {
        span.setAttribute("cadre.unfinished", true).end(at);
      }
      spans.forget(open.run.id);
    },
  };
}

interface Acts {
  apply(event: RunEvent): void;
  begin(key: string, at: number): void;
}

/** Returns the moments of a journal, with the starts of its requests between its events. */
function inOrder(journal: readonly RunEvent[], { apply, begin }: Acts): Moment[] {
  const moments: Moment[] = [];
  let last = 0;
  for (const event of journal) {
    last = Math.max(last, event.at);
    if (event.type === "step-finished" && event.kind === "model") {
      const { key } = event;
      const at = event.at - event.durationMs;
      const after = moments.findLastIndex((moment) => moment.at <= at);
      moments.splice(after + 1, 0, { at, act: () => begin(key, at) });
    }
    moments.push({ at: last, act: () => apply(event) });
  }
  return moments;
}

/** Reports whether the event occurs only in runs whose agent is in another program. */
function isOfRunner(event: RunEvent): boolean {
  if (event.type === "step-started") return event.tool !== undefined;
  if (event.type !== "step-finished" || event.kind !== "model") return false;
  return isRecord(event.value) && "stopReason" in event.value;
}

/** Finds the calls in replies by the keys of their steps. */
function createCalls() {
  const calls = new Map<string, StepCall>();
  let hasSchema = false;
  return {
    get: (key: string) => calls.get(key),
    note(event: RunEvent): void {
      if (event.type === "run-created") hasSchema = event.spec.outputSchema !== undefined;
      if (event.type !== "step-finished" || event.kind !== "model") return;
      const { parts = [] } = (isRecord(event.value) ? event.value : {}) as Partial<RecordedReply>;
      const name = createCallIds(event.key, hasSchema);
      for (const part of parts) {
        if (!("tool" in part)) continue;
        const input = part.type === "tool-call" ? part.input : part.text;
        calls.set(name(part.tool), { tool: part.tool, id: part.id, input });
      }
    },
  };
}
