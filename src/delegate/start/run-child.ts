import type { Engine } from "../../engine/engine.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import type { RecordedResult } from "../../run/result.ts";
import { type Assignment, type Origin, originOf } from "../assignment.ts";
import type { Delegate } from "./delegate.ts";

/** The services with which Cadre's own programs run children. */
export interface ChildServices {
  delegate: Delegate;
  engine: Pick<Engine, "result">;
}

/** A child of a program's run. */
export interface ChildRun extends Pick<Origin, "isPlanned"> {
  /** The key of the child's step. */
  key: string;
  /** Called unless an earlier execution started the child. */
  assign: (origin: Origin) => Promise<Assignment>;
}

/** Starts a child of a program's run, or finds the one that an earlier execution started, and waits for its result. */
export async function runChild(
  { delegate, engine }: ChildServices,
  { spec, signal, toFullKey, waitFor }: InternalContext,
  { key, assign, ...planned }: ChildRun,
): Promise<RecordedResult> {
  signal.throwIfAborted();
  const origin = { ...originOf(spec, toFullKey(key)), ...planned };
  const id = await delegate.assign(() => assign(origin), origin);
  const result = await waitFor(engine.result(id));
  signal.throwIfAborted();
  return result;
}
