import { CadreError } from "../errors.ts";
import { type LimitRaise, raiseBudget } from "./budget.ts";
import type { RunEvent, RunEventType } from "./event.ts";
import { type Figures, noFigures } from "./figures.ts";
import { addReserved } from "./reserved.ts";
import { isTerminal, type Run, type RunSpec, type RunStatus } from "./run.ts";
import { addCost, addUsage, type Usage } from "./usage.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** The events that may follow in each status. */
const allowed: Record<RunStatus, ReadonlySet<RunEventType>> = (() => {
  const early: RunEventType[] = [
    "run-started",
    "result-reused",
    "message-queued",
    "warning-raised",
    "cancel-requested",
    "limits-raised",
    "run-finished",
  ];
  const live: RunEventType[] = [
    ...early,
    "step-started",
    "step-finished",
    "request-started",
    "request-failed",
    "model-retried",
    "model-changed",
    "conversation-compacted",
    "messages-delivered",
    "results-collected",
    "children-awaited",
    "board-changed",
    "attempt-failed",
  ];
  // A fork begins with steps recorded by another run.
  const taken: RunEventType[] = [
    "step-finished",
    "messages-delivered",
    "attempt-failed",
    "model-changed",
    "conversation-compacted",
  ];
  return {
    queued: new Set([...early, ...taken, "files-recorded"]),
    waiting: new Set([...early, ...taken, "files-recorded", "dependencies-settled"]),
    running: new Set<RunEventType>([...live, "approval-requested"]),
    // One approval at a time. Parts of the run that need none continue meanwhile.
    "awaiting-approval": new Set<RunEventType>([...live, "approval-answered"]),
    succeeded: new Set<RunEventType>(),
    failed: new Set<RunEventType>(),
    cancelled: new Set<RunEventType>(),
    "timed-out": new Set<RunEventType>(),
  };
})();

/** The activity of a run without an open call. */
const thinking = "thinking";

/** The activity of a run whose open calls are not named. */
function countCalls(openSteps: number): Pick<Run, "activity" | "activityKey"> {
  const calls = `${openSteps} ${openSteps === 1 ? "call" : "calls"}`;
  return { activity: openSteps === 0 ? thinking : `waiting for ${calls}`, activityKey: null };
}

/**
 * Returns the run after `event`: the state machine of runs as a pure function.
 *
 * @throws CadreError `invalid-argument` for an event that cannot follow, such as a second terminal event.
 */
export function applyEvent(run: Run | undefined, event: RunEvent): Run {
  if (event.type === "run-created") {
    if (run !== undefined) throw unexpected(run, event);
    return createRun(event.spec, event);
  }
  if (run === undefined || !allowed[run.status].has(event.type)) throw unexpected(run, event);
  const moment = { lastSeq: event.seq, lastEventAt: event.at };
  return { ...run, ...passTime(run, event), ...changes(run, event), ...moment };
}

/** Adds the time since the previous event, which is unknown when another process wrote that event. */
function passTime(run: Run, { elapsedMs }: RunEvent): Partial<Run> {
  if (elapsedMs === undefined) return { attemptStartedAt: null };
  // The time of a run starts at the end of its dependencies.
  if (run.status === "waiting") return {};
  const isAtWork = run.status === "running" && run.attemptStartedAt !== null;
  return {
    elapsedMs: (run.elapsedMs ?? 0) + elapsedMs,
    spentMs: isAtWork ? run.spentMs + elapsedMs : run.spentMs,
  };
}

function changes(run: Run, event: Exclude<RunEvent, { type: "run-created" }>): Partial<Run> {
  switch (event.type) {
    case "run-started":
      return started(run, event.at);
    case "step-started":
      return {
        activity: event.title,
        activityKey: event.key,
        openSteps: run.openSteps + 1,
        own: { ...run.own, toolCalls: run.own.toolCalls + 1 },
      };
    case "step-finished":
      return finishedStep(run, event);
    case "approval-requested":
      return asked(event);
    case "approval-answered":
      return { status: "running", approval: null, ...countCalls(run.openSteps) };
    case "run-finished":
      return ended(event);
    case "request-started":
      return { reserved: { ...run.reserved, [event.key]: event.reserved } };
    case "request-failed":
      return {
        reserved: without(run.reserved, event.key),
        own: addRequest(run.own, event.usage, event.cost),
      };
    case "model-retried":
      return { activity: `retrying the model: ${event.reason}` };
    case "model-changed":
      return { model: event.to, firstModel: run.firstModel ?? event.from, activity: thinking };
    case "dependencies-settled":
      return { status: "queued" };
    case "children-awaited":
      return { activity: `waiting for ${event.runIds.length} in the background` };
    case "messages-delivered":
      return { activity: thinking };
    case "attempt-failed":
      return { activity: thinking, retries: (run.retries ?? 0) + 1 };
    case "result-reused":
      return { cachedFrom: event.from };
    case "limits-raised":
      return raised(run, event.raise);
    case "message-queued":
    case "results-collected":
    case "board-changed":
    case "conversation-compacted":
    case "files-recorded":
    case "warning-raised":
    case "cancel-requested":
      return {};
  }
}

function started(run: Run, at: number): Partial<Run> {
  return {
    status: "running",
    activity: thinking,
    openSteps: 0,
    approval: null,
    startedAt: run.startedAt ?? at,
    attempts: run.attempts + 1,
    attemptStartedAt: at,
    ...interruptRequests(run),
  };
}

/** Marks the requests of the previous process as interrupted. */
function interruptRequests({ reserved = {}, interrupted }: Run): Partial<Run> {
  const lost = Object.values(reserved);
  if (lost.length === 0) return {};
  const before = interrupted === undefined ? [] : [interrupted];
  return { reserved: {}, interrupted: addReserved([...before, ...lost]) };
}

function without(reserved: Run["reserved"] = {}, key: string): NonNullable<Run["reserved"]> {
  const { [key]: _, ...others } = reserved;
  return others;
}

function asked(event: Extract<RunEvent, { type: "approval-requested" }>): Partial<Run> {
  const approval = { ...event.request, askedAt: event.at };
  return { status: "awaiting-approval", activity: event.request.title, approval };
}

function finishedStep(run: Run, event: Extract<RunEvent, { type: "step-finished" }>): Partial<Run> {
  const endsCall = event.kind === "tool" && event.isUnstarted !== true;
  const openSteps = endsCall ? Math.max(0, run.openSteps - 1) : run.openSteps;
  const isNamed = typeof run.activityKey === "string" && run.activityKey !== event.key;
  const doing = openSteps > 0 && isNamed ? {} : countCalls(openSteps);
  if (event.usage === undefined) return { openSteps, ...doing };
  const own = addRequest(run.own, event.usage, event.cost ?? null);
  const turns = own.turns + (event.kind === "model" ? 1 : 0);
  return {
    ...(run.reserved !== undefined && { reserved: without(run.reserved, event.key) }),
    openSteps,
    ...doing,
    own: { ...own, turns },
  };
}

/** Adds a request's usage and cost to the figures. */
function addRequest(own: Figures, usage: Usage, cost: number | null): Figures {
  return { ...own, usage: addUsage(own.usage, usage), cost: addCost(own.cost, cost) };
}

function raised({ budget, addedSeconds = 0 }: Run, raise: LimitRaise): Partial<Run> {
  const { timeoutSeconds } = raise;
  return {
    ...(budget !== undefined &&
      raise.budget !== undefined && { budget: raiseBudget(budget, raise.budget) }),
    ...(timeoutSeconds !== undefined && { addedSeconds: addedSeconds + timeoutSeconds }),
  };
}

function ended(event: Extract<RunEvent, { type: "run-finished" }>): Partial<Run> {
  const { result } = event;
  return { status: result.status, activity: null, approval: null, endedAt: event.at, result };
}

function createRun(spec: RunSpec, event: RunEvent): Run {
  const { id, rootId, parentId, parentStep, depth, agent, task, label, dependsOn, model } = spec;
  const {
    title,
    background,
    detached,
    team,
    sequence,
    budget,
    lineage,
    continues,
    conversation,
    trace,
  } = spec;
  return {
    ...omitUndefined({ title, background, detached, team, sequence, budget }),
    ...omitUndefined({ lineage, continues, conversation, trace }),
    id,
    rootId,
    parentId,
    parentStep,
    depth,
    agent,
    task,
    label,
    dependsOn,
    model,
    status: dependsOn.length > 0 ? "waiting" : "queued",
    activity: null,
    openSteps: 0,
    createdAt: event.at,
    startedAt: null,
    endedAt: null,
    attempts: 0,
    spentMs: 0,
    attemptStartedAt: null,
    own: noFigures,
    approval: null,
    result: null,
    lastSeq: event.seq,
    lastEventAt: event.at,
  };
}

function unexpected(run: Run | undefined, event: RunEvent): CadreError {
  const where = run === undefined ? "a run that does not exist" : `a run that is ${run.status}`;
  const ending = run !== undefined && isTerminal(run.status) ? " A run ends exactly once." : "";
  return new CadreError(
    "invalid-argument",
    `The event ${event.type} (run ${event.runId}, number ${event.seq}) cannot follow in ${where}.${ending}`,
  );
}
