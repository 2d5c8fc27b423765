import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent, RunEventBody } from "../../run/event.ts";

/**
 * Returns the events with which a fork begins: those up to and including the step `at`, which is a key such as `model/3`, the
 * number of a model step, or `end` for the last one; default: `end`. `isWhole` tells whether that is the last step. The original
 * run has paid for them.
 *
 * @throws CadreError `invalid-argument`, with a list of the steps.
 */
export async function takeBeginning(
  registry: Registry,
  runId: string,
  at?: string,
): Promise<{ step: string; isWhole: boolean; beginning: RunEventBody[] }> {
  const events = await registry.events(runId);
  const steps = events.flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
  const last = steps.at(-1);
  const step = at === undefined || at === "end" ? last : /^\d+$/.test(at) ? `model/${at}` : at;
  const end = events.findLastIndex((event) => event.type === "step-finished" && event.key === step);
  if (step === undefined || end < 0) throw noSuchStep(runId, at, steps);
  return { step, isWhole: step === last, beginning: events.slice(0, end + 1).flatMap(copy) };
}

function copy(event: RunEvent): RunEventBody[] {
  if (event.type === "step-finished") {
    const { type, key, kind, value } = event;
    return [{ type, key, kind, value, durationMs: 0 }];
  }
  if (event.type === "messages-delivered") {
    const { type, step, messages } = event;
    return [{ type, step, messages }];
  }
  if (event.type === "attempt-failed") {
    const { type, attempt, failure } = event;
    return [{ type, attempt, failure }];
  }
  if (event.type === "model-changed") {
    const { type, key, from, to, reason, message } = event;
    return [{ type, key, from, to, reason, message }];
  }
  if (event.type === "conversation-compacted") {
    const { type, turn, removedCharacters, size, summary } = event;
    return [{ type, turn, removedCharacters, ...omitUndefined({ size, summary }) }];
  }
  return [];
}

function noSuchStep(runId: string, at: string | undefined, keys: readonly string[]): CadreError {
  const there = keys.length === 0 ? "It has recorded none." : `It has: ${keys.join(", ")}.`;
  const step = at === undefined ? "step to fork it at" : `step ${at}`;
  return new CadreError("invalid-argument", `The run ${runId} has no ${step}. ${there}`);
}
