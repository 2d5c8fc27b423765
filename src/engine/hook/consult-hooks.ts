import { omitUndefined } from "../../omit-undefined.ts";
import { isRecord } from "../../source/json.ts";
import { orAbort } from "../../source/or-abort.ts";
import { messageOf } from "../run-failed.ts";
import type { Decisions, HookContext, Hooks } from "./hooks.ts";

/** A function of {@link Hooks} that returns a decision. */
export type HookPoint = Exclude<keyof Hooks, "name" | "timeoutMs" | "afterRun">;

/** The decisions of each point. */
const decisions: Readonly<Record<HookPoint, readonly (keyof Decisions)[]>> = {
  beforeRun: ["context", "stop"],
  beforeModel: ["context", "stop"],
  afterModel: ["context", "stop"],
  beforeTool: ["input", "ask", "deny", "stop"],
  afterTool: ["text", "context", "stop"],
  beforeDelegation: ["task", "deny"],
  beforeEnd: ["continue", "stop"],
  beforeCompaction: ["keep", "stop"],
  beforeQuestion: ["deny", "stop"],
};

/** The points of {@link Hooks} at which hooks return a decision. */
export const hookPoints: readonly string[] = Object.keys(decisions);

/** The time limit of a hook without `timeoutMs`, in milliseconds. */
export const defaultTimeoutMs = 60_000;

/** A hook threw, took too long, or returned no valid decision. */
export class HookFailed extends Error {
  override readonly name = "HookFailed";
}

/** A call of the hooks at one point. */
export interface Consultation {
  point: HookPoint;
  /** The event. Each hook gets a copy that includes the changes of earlier hooks. */
  event: object;
  signal: AbortSignal;
}

/**
 * Asks each hook in order. A refusal or a stop is final; a later text or input replaces an earlier one; contexts are joined.
 *
 * @throws HookFailed and the reason of `signal`.
 */
export async function consultHooks(
  hooks: readonly Hooks[],
  { point, event, signal }: Consultation,
): Promise<Decisions> {
  let decided: Decisions = {};
  // Each hook sees the changes of earlier hooks.
  const current = { ...event };
  for (const [index, hook] of hooks.entries()) {
    if (hook[point] === undefined) continue;
    const name = hook.name ?? `hook ${index + 1}`;
    const decision = await callHook(hook, name, { point, event: current, signal });
    if (decision === undefined) continue;
    decided = joinDecisions(decided, decision);
    if (decision.stop !== undefined || decision.deny !== undefined) {
      return { ...decided, ...attribute(name, decision) };
    }
    const { input, text, task } = decision;
    Object.assign(current, omitUndefined({ input, text, task }));
  }
  return decided;
}

/** Prefixes each reason with the name of the hook that gave it. */
function attribute(name: string, { stop, deny }: Decisions): Decisions {
  const explain = (reason: string): string => `${name}: ${reason.trim() || "no reason was given"}`;
  if (stop !== undefined) return { stop: explain(stop) };
  return deny === undefined ? {} : { deny: explain(deny) };
}

/** Adds `decision` to earlier decisions. Contexts and warnings are joined; of the others the last one counts. */
export function joinDecisions(before: Decisions, decision: Decisions): Decisions {
  return {
    ...before,
    ...decision,
    ...omitUndefined({
      context: joinTexts(before.context, decision.context),
      warning: joinTexts(before.warning, decision.warning),
    }),
  };
}

/** Joins the defined texts, with an empty line between them. */
export function joinTexts(...texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
}

async function callHook(
  hook: Hooks,
  name: string,
  { point, event, signal }: Consultation,
): Promise<Decisions | undefined> {
  try {
    const call = hook[point] as (this: Hooks, event: object, context: HookContext) => unknown;
    const answer = call.call(hook, copyOf(event), { signal });
    const decision =
      answer instanceof Promise
        ? await within(answer, hook.timeoutMs ?? defaultTimeoutMs, signal)
        : answer;
    return decision === undefined ? undefined : readDecision(point, decision);
  } catch (error) {
    signal.throwIfAborted();
    throw new HookFailed(`the hook ${point} of ${name} failed: ${messageOf(error)}`);
  }
}

/** Copies JSON, so that hooks cannot change each other's input. `structuredClone` takes ten times as long for small values. */
function copyOf<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  if (typeof value !== "object" || value === null) return value;
  const copy = { ...value };
  for (const key in copy) copy[key] = copyOf(copy[key]);
  return copy;
}

/** Waits for a promise, until `signal` aborts. @throws Error when it takes longer than `timeoutMs`. */
export async function within(
  work: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    return await orAbort(work, AbortSignal.any([signal, late]));
  } catch (error) {
    if (late.aborted) throw new Error(`it took longer than ${timeoutMs} ms`, { cause: error });
    throw error;
  }
}

/** Copies a decision as JSON. @throws Error for a decision that the point does not allow. */
function readDecision(point: HookPoint, decision: unknown): Decisions {
  const known = [...decisions[point], "warning"];
  const expected = `expected nothing or an object with ${known.join(", ")}`;
  if (!isPlain(decision)) throw new Error(`it returned ${showType(decision)}; ${expected}`);
  // A key without a value decides nothing, as in `{ stop: isOver ? reason : undefined }`.
  const given = Object.entries(omitUndefined(decision));
  const unknown = given.map(([key]) => key).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`it returned the key ${unknown.join(", ")}; ${expected}`);
  const wrong = given.find(([key, value]) => !isRight(key, value));
  if (wrong !== undefined) {
    throw new Error(`it returned a \`${wrong[0]}\` that is ${typeNames[wrong[0]] ?? "not text"}`);
  }
  return JSON.parse(JSON.stringify(Object.fromEntries(given))) as Decisions;
}

/** Rejects maps and class instances: a check of properties would miss decisions in them. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const typeNames: Readonly<Record<string, string>> = { keep: "not true", input: "not JSON" };

function isRight(key: string, value: unknown): boolean {
  if (key === "keep") return value === true;
  return key === "input" ? isJson(value) : typeof value === "string";
}

function showType(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
