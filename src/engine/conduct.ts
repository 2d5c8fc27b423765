import { type AgentDefinition, isProgram } from "../agent/agent.ts";
import type { ProgramAgent } from "../agent/program.ts";
import type { Clock } from "../clock.ts";
import type { ModelTool } from "../model/model.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { Message } from "../run/message.ts";
import type { RunResult } from "../run/result.ts";
import type { Run, RunSpec } from "../run/run.ts";
import type { Shell } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import type { Activities } from "./activities.ts";
import { type Ask, createApprovals } from "./approvals.ts";
import { makeAttempts } from "./attempts.ts";
import { type Ending, endRun, isRegistryFailure, toEnding } from "./ending.ts";
import { grantsOf } from "./permit.ts";
import type { Inbox } from "./inbox.ts";
import { throughCache } from "./result-cache.ts";
import { runAgent } from "./run-agent.ts";
import type { ProgramServices } from "./program-context.ts";
import { runProgram } from "./run-program.ts";
import type { Purse } from "./purse.ts";
import type { RunnerPlace } from "./runner/seat.ts";
import { selectTools } from "./select-tools.ts";
import type { Conclusion, Session } from "./session.ts";
import type { Slot } from "./slots.ts";
import { createSteps } from "./steps.ts";
import { createStop, type Stop } from "./stop.ts";
import { createStructuredOutput } from "./structured-output.ts";
import { RunFailed } from "./to-failure.ts";
import { createTurns } from "./turns.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";
import { describeWorktree, enterWorktree, removeWorktree } from "./worktree.ts";

/** The tools there are for a run. */
export interface ToolOffer {
  tools: readonly Tool[];
  /** The names of those that the agent brings along itself. */
  own: ReadonlySet<string>;
  /** The names of those it gets whatever its definition lists and its parent has, unless they are disallowed. */
  always?: ReadonlySet<string>;
  /** What the result should warn about. */
  warnings: readonly string[];
}

/** What every run of an engine shares. */
export interface ConductOptions extends ProgramServices {
  registry: Registry;
  clock: Clock;
  activities: Activities;
  /** The tools there are for a run, before its definition chooses among them. */
  offerTools: (
    spec: RunSpec,
    definition: AgentDefinition,
    signal: AbortSignal,
  ) => Promise<ToolOffer>;
  /** The function behind a program agent; `session` is for those that Cadre brings along. */
  loadProgram: (definition: AgentDefinition, session: Session) => Promise<ProgramAgent>;
  /** What the runner of a run is started with. @throws CadreError `not-trusted` when it must not be. */
  prepareRunner: (spec: RunSpec, definition: AgentDefinition) => Promise<RunnerPlace>;
  /** Absent: there is nobody to ask. */
  ask?: Ask | undefined;
  findSkills: Session["findSkills"];
  /** Runs the checks of retry policies; asked for when there is one. */
  openShell: () => Promise<Shell>;
  /** Holds a folder for each run's long outputs. */
  outputRoot: string;
  limits: {
    stallSeconds: number;
    modelRetries: number;
    toolOutputCharacters: number;
  };
}

/** The run to conduct. */
export interface Subject {
  run: Run;
  spec: RunSpec;
  definition: AgentDefinition;
  /**
   * What it has not heard although it was said to an earlier process, or to none: results of its runs in the background, and
   * words that may be in no journal yet.
   */
  messages?: readonly Message[];
}

/** What the engine gives a run. */
export interface Place {
  /** Its turn in the queue. */
  slot: Promise<Slot>;
  /** Ends the run when aborted with a `Stop`. */
  stop: AbortController;
  inbox: Inbox;
  purse: Purse;
  /** See `Session.granted`. */
  granted: Set<string>;
  /** Ends the run's children; those that are to outlive it only when it `isStopped` from outside. */
  stopChildren: (isStopped: boolean) => Promise<void>;
}

/** What a run is stopped with that has come to its end by itself. */
export const runEnded: Stop = createStop("cancelled", {
  code: "cancelled",
  message: "The run has ended.",
});

/** How long what a stopped run was doing may take to end, in milliseconds; then the run ends without it. */
const graceMs = 5000;

/**
 * Executes a run from its turn in the queue to its one terminal event.
 *
 * @throws CadreError only when the registry fails; the run then stays unfinished, to be resumed.
 */
export async function conduct(
  options: ConductOptions,
  subject: Subject,
  place: Place,
): Promise<RunResult> {
  const said = { text: "" };
  const warnings = new Set(subject.spec.warnings);
  let ending: Ending;
  try {
    const slot = await place.slot;
    try {
      // It may have been stopped in the moment in which its turn came.
      place.stop.signal.throwIfAborted();
      const conclusion = await execute(options, subject, { ...place, slot, said, warnings });
      ending = { status: "succeeded", ...conclusion };
    } finally {
      slot.release();
    }
  } catch (error) {
    ending = toEnding(error, place.stop.signal, said.text);
    if (isRegistryFailure(error)) {
      // Nothing can be recorded any more; what the failure is matters more than that children fail of it as well.
      place.stop.abort(runEnded);
      await place.stopChildren(true).catch(() => undefined);
      throw error;
    }
  }
  // Whatever the run was doing must not go on without it.
  const isStopped = place.stop.signal.aborted;
  place.stop.abort(runEnded);
  await place.stopChildren(isStopped);
  const changes = await describeWorktree(options.registry, subject.spec);
  if (changes !== undefined) warnings.add(changes);
  const result = await endRun(options, { ...ending, warnings: [...warnings] }, subject.spec.id);
  if (changes === undefined) await removeWorktree(subject.spec);
  return result;
}

interface Seat extends Omit<Place, "slot"> {
  slot: Slot;
  said: Session["said"];
  warnings: Session["warnings"];
}

async function execute(options: ConductOptions, subject: Subject, seat: Seat): Promise<Conclusion> {
  const { registry } = options;
  const { spec } = subject;
  const isResumed = subject.run.lastSeq > 1;
  const history = isResumed ? await registry.events(spec.id) : [];
  honourCancel(history, seat.stop);
  seat.inbox.restore(history);
  for (const message of subject.messages ?? []) receive(registry, seat.inbox, { spec, message });
  registry.append(spec.id, { type: "run-started", owner: `${process.pid}` });
  const started = (await registry.run(spec.id)) ?? subject.run;
  const watchdog = watch(options, started, { spec, stop: seat.stop });
  const stopWall = boundWallTime(options.clock, started, { spec, stop: seat.stop });
  const session = createSession(options, subject, { ...seat, watchdog, history });
  try {
    const attempt = (own: Session): Promise<Conclusion> => conductAttempt(options, own);
    const work = enterWorktree(session).then(() => makeAttempts(session, options, attempt));
    return await settleOnStop(work, session.signal, options.clock);
  } finally {
    stopWall();
    watchdog.stop();
  }
}

/** A result needs no place in the journal of the run: the run that it is of has it in its own. */
function receive(
  registry: Registry,
  inbox: Inbox,
  { spec, message }: { spec: RunSpec; message: Message },
): void {
  if (message.kind === "steering" && !inbox.isKnown(message.id)) {
    registry.append(spec.id, { type: "message-queued", message });
  }
  inbox.arrive(message);
}

/** A run that was being cancelled when its process was killed is not wanted any more. */
function honourCancel(history: readonly RunEvent[], stop: AbortController): void {
  const wish = history.find((event) => event.type === "cancel-requested");
  if (wish === undefined) return;
  stop.abort(createStop("cancelled", { code: "cancelled", message: wish.reason }));
  stop.signal.throwIfAborted();
}

async function conductAttempt(options: ConductOptions, session: Session): Promise<Conclusion> {
  const { definition, spec } = session;
  if (isProgram(definition)) return await conductProgram(options, session);
  if (definition.runner === undefined) return await conductAgent(options, session);
  const { runInRunner } = await import("./runner/run-in-runner.ts");
  const prepare = async (): Promise<RunnerPlace> => await options.prepareRunner(spec, definition);
  return await runInRunner(session, { clock: options.clock, prepare });
}

async function conductProgram(options: ConductOptions, session: Session): Promise<Conclusion> {
  const program = await options.loadProgram(session.definition, session);
  return await runProgram(session, program, options);
}

async function conductAgent(options: ConductOptions, session: Session): Promise<Conclusion> {
  const { spec, definition } = session;
  const { outputRoot, limits, stream } = options;
  if (spec.model === null) {
    const message = `Agent ${spec.agent} needs a model, and its run was created without one.`;
    throw new RunFailed({ code: "model-unavailable", message });
  }
  const model = await options.resolveModel(spec.model);
  const { fallbackModel } = spec;
  const fallback = fallbackModel === null ? undefined : await options.resolveModel(fallbackModel);
  const tools = await takeTools(options, session);
  const outputCharacters = limits.toolOutputCharacters;
  const { outputSchema, agent } = spec;
  const output = outputSchema && createStructuredOutput(outputSchema, agent);
  const turns = createTurns({
    model,
    fallback,
    stream,
    retries: limits.modelRetries,
    request: {
      tools: [...tools.values(), ...(output === undefined ? [] : [output.tool])].map(toModelTool),
      ...(spec.temperature === null ? {} : { temperature: spec.temperature }),
      ...(definition.effort === undefined ? {} : { effort: definition.effort }),
    },
  });
  const toolbox = { tools, seenFiles: new Map<string, string>(), outputRoot, outputCharacters };
  const equipment = { toolbox, turns, ...(output !== undefined && { output }) };
  const work = (): Promise<Conclusion> => runAgent(session, equipment);
  return spec.cache === true ? await throughCache(session, toolbox, work) : await work();
}

/** The tools of a run; servers that give some of them may have to be started first. */
async function takeTools(
  options: ConductOptions,
  { spec, definition, warnings, watchdog, signal }: Session,
): Promise<Map<string, Tool>> {
  const offer = await watchdog.trustWhile(options.offerTools(spec, definition, signal));
  const selection = selectTools(offer.tools, definition, spec, offer);
  for (const warning of [...offer.warnings, ...selection.warnings]) warnings.add(warning);
  return selection.tools;
}

/** What the model is told of a tool; the rest of it is code. */
function toModelTool({ name, description, inputSchema }: ModelTool): ModelTool {
  return { name, description, inputSchema };
}

function createSession(
  options: ConductOptions,
  { spec, definition }: Subject,
  seat: Seat & { watchdog: Watchdog; history: readonly RunEvent[] },
): Session {
  const { registry, clock, activities, ask, findSkills } = options;
  const { slot, inbox, purse, granted, said, warnings, watchdog, history } = seat;
  const { signal } = seat.stop;
  for (const grant of grantsOf(history)) granted.add(grant);
  return {
    spec,
    definition,
    registry,
    prefix: "",
    steps: createSteps({ runId: spec.id, registry, clock, history }),
    slot,
    watchdog,
    approvals: createApprovals({ registry, ask, signal, history }),
    findSkills,
    inbox,
    purse,
    granted,
    signal,
    said,
    warnings,
    report(kind, text) {
      watchdog.sign();
      activities.publish({ runId: spec.id, kind, text });
    },
  };
}

function watch(
  { clock, limits }: ConductOptions,
  started: Run,
  { spec, stop }: { spec: RunSpec; stop: AbortController },
): Watchdog {
  const { timeoutSeconds, agent } = spec;
  const { stallSeconds } = limits;
  return createWatchdog({
    clock,
    remainingMs: Math.max(0, timeoutSeconds * 1000 - started.spentMs),
    stallMs: stallSeconds * 1000,
    onTimeout() {
      const message = `Agent ${agent} did not finish within its timeout of ${timeoutSeconds} s.`;
      stop.abort(createStop("timed-out", { code: "timed-out", message }));
    },
    onStall() {
      const message = `Agent ${agent} showed no sign of life for ${stallSeconds} s.`;
      stop.abort(createStop("failed", { code: "stalled", message }));
    },
  });
}

/** Ends the run, and so its descendants, when the time of its budget is up. */
function boundWallTime(
  clock: Clock,
  started: Run,
  { spec, stop }: { spec: RunSpec; stop: AbortController },
): () => void {
  const { wallSeconds } = spec.budget ?? {};
  if (wallSeconds === undefined) return () => undefined;
  return clock.schedule(Math.max(0, wallSeconds * 1000 - started.spentMs), () => {
    const message = `The budget of ${wallSeconds} wallSeconds (of run ${spec.id}) is used up.`;
    const details = { resource: "wallSeconds", limit: wallSeconds, owner: spec.id };
    stop.abort(createStop("failed", { code: "budget-exceeded", message, details }));
  });
}

/** Waits for `work`, but not much longer than until `signal` aborts: what ignores the signal is left behind. */
async function settleOnStop<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  clock: Clock,
): Promise<Value> {
  const { promise: left, reject } = Promise.withResolvers<never>();
  let cancelGrace = (): void => undefined;
  const onAbort = (): void => {
    cancelGrace = clock.schedule(graceMs, () => reject(signal.reason as Error));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    cancelGrace();
  }
}
