import { join } from "node:path";
import { type AgentDefinition, isProgram } from "../agent/agent.ts";
import type { ProgramAgent } from "../agent/program.ts";
import type { Clock } from "../clock.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { Message } from "../run/message.ts";
import type { RunResult } from "../run/result.ts";
import type { Run, RunSpec } from "../run/run.ts";
import type { Shell } from "../tool/shell.ts";
import type { ApprovalSeal } from "./approval/approval-seal.ts";
import type { Activities } from "./activities.ts";
import { type Ask, createApprovals } from "./approvals.ts";
import { makeAttempts } from "./attempts.ts";
import { describeInterrupted } from "./budget/describe-interrupted.ts";
import { boundWallTime, measureRun, watch } from "./bound-time.ts";
import { type AgentServices, conductAgent } from "./conduct-agent.ts";
import { type Ending, endRun, isRegistryFailure, toEnding } from "./ending.ts";
import { grantsOf } from "./permit.ts";
import type { Inbox } from "./inbox.ts";
import type { ProgramServices } from "./program-context.ts";
import { runProgram } from "./run-program.ts";
import type { RunBudget } from "./budget/run-budget.ts";
import type { RunnerPlace } from "./runner/seat.ts";
import type { Conclusion, Session } from "./session.ts";
import type { Slot } from "./slots.ts";
import { createSteps } from "./steps.ts";
import { createStop, endsDetached, runEnded, settleOnStop } from "./stop.ts";
import type { Watchdog } from "./watchdog.ts";
import { describeWorktree, enterWorktree, removeWorktree } from "./worktree.ts";

/** What every run of an engine shares. */
export interface ConductOptions extends ProgramServices, AgentServices {
  registry: Registry;
  clock: Clock;
  activities: Activities;
  /** The function behind a program agent; `session` is for those that Cadre brings along. */
  loadProgram: (definition: AgentDefinition, session: Session) => Promise<ProgramAgent>;
  /** Lets a run begin, or rejects with `RunFailed`. */
  permitDefinition: (session: Session) => Promise<void>;
  /** What the runner of a run is started with. @throws CadreError `not-trusted` when it must not be. */
  prepareRunner: (spec: RunSpec, definition: AgentDefinition) => Promise<RunnerPlace>;
  /** Absent: there is nobody to ask. */
  ask?: Ask | undefined;
  /** Marks the user's answers in the journal. */
  seal: ApprovalSeal;
  findSkills: Session["findSkills"];
  /** Runs the checks of retry policies; asked for when there is one. */
  openShell: () => Promise<Shell>;
  /** Holds a folder for each family, and in it one for each run's long outputs. */
  outputRoot: string;
  limits: AgentServices["limits"];
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
  /** The nearest ancestor at work, where its parent has ended. */
  guardian?: string | undefined;
}

/** What the engine gives a run. */
export interface Place {
  /** Its turn in the queue. */
  slot: Promise<Slot>;
  /** Ends the run when aborted with a `Stop`. */
  stop: AbortController;
  inbox: Inbox;
  budget: RunBudget;
  /** See `Session.granted`. */
  granted: Set<string>;
  /** Ends the runs below it that are at work, detached ones too where that is wanted. */
  stopChildren: (options: { withDetached: boolean }) => Promise<void>;
}

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
  const said: Session["said"] = { text: "" };
  const warnings = new Set(subject.spec.warnings);
  const durationMs = measureRun(options.clock, subject.run);
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
    if (options.registry.failed.aborted || isRegistryFailure(error)) {
      // Nothing can be recorded any more; what the failure is matters more than that children fail of it as well.
      place.stop.abort(runEnded);
      await place.stopChildren({ withDetached: true }).catch(() => undefined);
      options.registry.failed.throwIfAborted();
      throw error;
    }
    ending = toEnding(error, place.stop.signal, said);
  }
  // Whatever the run was doing must not go on without it.
  const withDetached = endsDetached(place.stop.signal);
  place.stop.abort(runEnded);
  await place.stopChildren({ withDetached });
  const changes = await describeWorktree(options.registry, subject.spec);
  if (changes !== undefined) warnings.add(changes);
  const ended = { ...ending, warnings: [...warnings], durationMs: durationMs() };
  const result = await endRun(options, ended, subject.spec.id);
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
  for (const warning of describeInterrupted(started)) seat.warnings.add(warning);
  const watchdog = watch(options, started, { spec, stop: seat.stop });
  const stopWall = boundWallTime(options.clock, started, { spec, stop: seat.stop });
  const session = createSession(options, subject, { ...seat, watchdog, history });
  try {
    const attempt = (own: Session): Promise<Conclusion> => conductAttempt(options, own);
    const work = async (): Promise<Conclusion> => {
      await options.permitDefinition(session);
      await enterWorktree(session);
      return await makeAttempts(session, options, attempt);
    };
    return await settleOnStop(work(), session.signal, options.clock);
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
  const { reason: message, keepDetached = false } = wish;
  stop.abort(createStop("cancelled", { code: "cancelled", message }, { keepDetached }));
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

function createSession(
  options: ConductOptions,
  { spec, definition }: Subject,
  seat: Seat & { watchdog: Watchdog; history: readonly RunEvent[] },
): Session {
  const { registry, clock, activities, ask, seal, findSkills } = options;
  const { slot, inbox, budget, granted, said, warnings, watchdog, history } = seat;
  const { signal } = seat.stop;
  for (const grant of grantsOf(spec, history, seal)) granted.add(grant);
  return {
    spec,
    definition,
    registry,
    prefix: "",
    outputFolder: join(options.outputRoot, spec.rootId, spec.id),
    steps: createSteps({ runId: spec.id, registry, clock, history }),
    slot,
    watchdog,
    approvals: createApprovals({ registry, ask, signal, seal, workspace: spec.workspace, history }),
    findSkills,
    inbox,
    budget,
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
