// Telemetry: projects the journals of runs to OpenTelemetry's spans and metrics.

import type { Attributes } from "@opentelemetry/api";
import type { RunListener } from "../registry/registry.ts";
import type { RunEvent, RunEventType } from "../run/event.ts";
import {
  createSpanEnds,
  describeAgent,
  describeAsked,
  type ProjectionOptions,
} from "./end-spans.ts";
import { secondsBetween } from "./span/seconds-between.ts";
import { nameModel } from "./span/provider-name.ts";
import type { OpenRun } from "./span/open-spans.ts";
import type { EventOf } from "../run/event.ts";

type Handlers = { [Type in RunEventType]?: (open: OpenRun, event: EventOf<Type>) => void };

/** Creates the listener that converts the durable events of this process to spans and metrics. */
export function createProjection(options: ProjectionOptions): RunListener {
  const { spans, metrics } = options;
  const ends = createSpanEnds(options);
  const handlers: Handlers = {
    "run-started"(open, event) {
      const { run } = open;
      const about = { "cadre.run.processes": run.attempts };
      if (run.attempts > 1) return addEvent(open, event, about);
      return metrics.start(describeAgent(run), secondsBetween(run.createdAt, event.at));
    },
    // A runner reports its calls here. The spans of all other steps are already open.
    "step-started"(open, { key, tool, at }) {
      const call = tool === undefined ? {} : { call: { tool } };
      spans.openStep(open, { key, kind: "tool", ...call }, at);
    },
    "step-finished": ends.step,
    "model-retried"(open, event) {
      const { attempt, delayMs } = event;
      addEvent(open, event, { "cadre.attempt": attempt, "cadre.delay": delayMs / 1000 });
      metrics.retry(describeAsked(open));
    },
    "model-changed"(open, event) {
      const { key, from, to, reason } = event;
      open.steps.get(key)?.span.updateName(`chat ${nameModel(to).model}`);
      const models = { "cadre.model.from": from, "cadre.model.to": to };
      addEvent(open, event, { ...models, "error.type": reason });
    },
    "request-failed"(open, event) {
      const { usage, cost } = event;
      addEvent(open, event, cost === null ? {} : { "cadre.cost": cost });
      metrics.spend(describeAsked(open), usage, cost);
    },
    "conversation-compacted"(open, event) {
      addEvent(open, event, { "cadre.removed_characters": event.removedCharacters });
    },
    "attempt-failed"(open, event) {
      ends.failedSteps(open, event.at);
      const { attempt, failure } = event;
      addEvent(open, event, { "cadre.attempt": attempt, "error.type": failure.code });
    },
    "run-finished": ends.run,
    // The names of these events say everything except content.
    "dependencies-settled": addEvent,
    "approval-requested": addEvent,
    "approval-answered": addEvent,
    "messages-delivered": addEvent,
    "cancel-requested": addEvent,
    "limits-raised": addEvent,
    "result-reused": addEvent,
  };

  return (event, run) => {
    const open = spans.openRun(run);
    open.run = run;
    const handle = handlers[event.type] as ((open: OpenRun, event: RunEvent) => void) | undefined;
    handle?.(open, event);
  };
}

/** Adds an event to the span of its step, or else to the span of its run. */
function addEvent({ span, steps }: OpenRun, event: RunEvent, attributes: Attributes = {}): void {
  const key = "key" in event ? event.key : "";
  const inStep = steps.get(key)?.span ?? span;
  inStep.addEvent(`cadre.${event.type}`, attributes, new Date(event.at));
}
