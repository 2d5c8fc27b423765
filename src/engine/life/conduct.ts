import { sep } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Registry } from "../../registry/registry.ts";
import type { LimitRaise } from "../../run/budget.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Message } from "../../run/message.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import type { Shell } from "../../tool/builtin/shell.ts";
import { onSettled } from "../../on-settled.ts";
import type { ApprovalSeal } from "../run-context/approval-seal.ts";
import type { Activities } from "../live/activities.ts";
import { type Ask, createApprovals } from "../run-context/approvals.ts";
import { makeAttempts } from "./attempts.ts";
import type { AttemptServices } from "./execute-attempt.ts";
import { boundTime, measureRun } from "../run-context/bound-time.ts";
import { type Ending, endRun, isRegistryFailure, toEnding } from "./ending.ts";
import { grantsOf } from "../tool-call/check-permission.ts";
import type { Hooks } from "../hook/hooks.ts";
import type { Tracing } from "../run-context/tracing.ts";
import { reportEnd } from "../hook/report-end.ts";
import type { AnswerBox } from "../run-context/answer-box.ts";
import type { Inbox } from "../run-context/inbox.ts";
import type { RunBudget } from "../budget/run-budget.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import type { Slot } from "../schedule/slots.ts";
import { readPromptChanges } from "../conversation/prompt-changes.ts";
import { createSteps } from "../run-context/steps.ts";
import type { AgentMemory } from "../../tool/memory/agent-memory.ts";
import { readRecordedWarnings } from "./recorded-warnings.ts";
import { createStop, endsDetached, runEnded, settleOnStop } from "../run-context/stop.ts";
import type { Watchdog } from "../run-context/watchdog.ts";
import { settleWorktree, enterWorktree, removeUnchangedWorktree } from "./worktree.ts";

/** Options that all runs of an engine share. */
export interface ConductOptions extends AttemptServices {
  registry: Registry;
  activities: Activities;
  /** Allows a run to start, or rejects with `RunFailed`. */
  permitDefinition: (run: RunContext) => Promise<void>;
  /** `wait`: questions wait for an answer from elsewhere. Absent: no user can answer questions. */
  ask?: Ask | "wait" | undefined;
  /** Marks the user's answers in the journal. */
  seal: ApprovalSeal;
  /** Default: none. */
  hooks?: readonly Hooks[] | undefined;
  /** Makes the hooks that a definition brings for its own runs, which are asked after `hooks`. Default: none. */
  hooksOf?: ((definition: AgentDefinition) => readonly Hooks[]) | undefined;
  /** Default: runs are not traced. */
  tracing?: Tracing | undefined;
  findSkills: RunContext["findSkills"];
  readInstructions: RunContext["readInstructions"];
  /** Finds the memory of an agent, or why it cannot be used; `undefined` for an agent without one. */
  findMemory: (definition: AgentDefinition) => AgentMemory | { problem: string } | undefined;
  /** Opens the shell for the checks of retry policies. */
  openShell: () => Promise<Shell>;
  /** Contains a folder per conversation with a folder per run for long outputs. */
  outputRoot: string;
}

/** A run to execute. */
export interface RunToExecute {
  run: Run;
  spec: RunSpec;
  definition: AgentDefinition;
  /**
   * Messages that were sent to the run in an earlier process but not delivered: results of background runs, and messages that may
   * not be in a journal yet.
   */
  messages?: readonly Message[];
  /** The nearest running ancestor, when its parent has ended. */
  activeParentId?: string | undefined;
}

/** Notifies the time limits of a run when they are raised. */
export interface Raises {
  onRaise?: ((raise: LimitRaise) => void) | undefined;
}

/** What the engine provides to a run. */
export interface RunResources {
  /** Resolves when the run gets its slot. */
  slot: Promise<Slot>;
  /** See `QueueEntry.dependencies`. */
  dependencies: Promise<void> | undefined;
  /** Ends the run when aborted with a `Stop`. */
  stop: AbortController;
  inbox: Inbox;
  answers: AnswerBox;
  budget: RunBudget;
  /** Reports raised time limits to the run while it is executed. */
  raises: Raises;
  /** See `RunContext.granted`. */
  granted: Set<string>;
  /** Ends the running descendants, including detached ones with `withDetached`. */
  stopChildren: (options: { withDetached: boolean }) => Promise<void>;
}

/**
 * Executes a run from its slot to its one terminal event.
 *
 * @throws CadreError only when the registry fails; the run then stays unfinished and can be resumed.
 */
export async function conduct(
  options: ConductOptions,
  subject: RunToExecute,
  resources: RunResources,
): Promise<RecordedResult> {
  const partial: RunContext["conclusion"] = { text: "" };
  const warnings = new Set(subject.spec.warnings);
  const durationMs = measureRun(options.clock, subject.run, resources.dependencies);
  let ending: Ending;
  try {
    const slot = await resources.slot;
    try {
      // The run may have been stopped just as it got its slot.
      resources.stop.signal.throwIfAborted();
      const conclusion = await execute(options, subject, {
        ...resources,
        slot,
        conclusion: partial,
        warnings,
      });
      ending = { status: "succeeded", ...conclusion };
    } finally {
      slot.release();
    }
  } catch (error) {
    if (options.registry.failed.aborted || isRegistryFailure(error)) {
      // Nothing can be recorded from here on. The registry's failure takes precedence over failures of children that follow from
      // it.
      resources.stop.abort(runEnded);
      await resources.stopChildren({ withDetached: true }).catch(() => undefined);
      options.registry.failed.throwIfAborted();
      throw error;
    }
    ending = toEnding(error, resources.stop.signal, partial);
  }
  // Nothing that the run started may outlive it.
  const withDetached = endsDetached(resources.stop.signal);
  resources.stop.abort(runEnded);
  await resources.stopChildren({ withDetached });
  const changes = await settleWorktree(options.registry, subject.spec);
  if (changes !== undefined) warnings.add(changes);
  const ended = { ...ending, here: { warnings: [...warnings], durationMs: durationMs() } };
  const result = await endRun(options, ended, subject.spec.id);
  if (changes === undefined) await removeUnchangedWorktree(subject.spec);
  await reportEnd(hooksOf(options, subject.definition), subject.spec, result);
  return result;
}

interface PreparedRun extends Omit<RunResources, "slot" | "dependencies"> {
  slot: Slot;
  conclusion: RunContext["conclusion"];
  warnings: RunContext["warnings"];
}

async function execute(
  options: ConductOptions,
  subject: RunToExecute,
  prepared: PreparedRun,
): Promise<Conclusion> {
  const { registry } = options;
  const { spec } = subject;
  const isResumed = subject.run.lastSeq > 1;
  const history = isResumed ? await registry.events(spec.id) : [];
  honourCancel(history, prepared.stop);
  prepared.inbox.restore(history);
  for (const message of subject.messages ?? [])
    receive(registry, prepared.inbox, { spec, message });
  registry.append(spec.id, { type: "run-started", owner: registry.ownerId });
  const started = (await registry.run(spec.id)) ?? subject.run;
  for (const warning of readRecordedWarnings(started, history)) prepared.warnings.add(warning);
  const time = boundTime(options, started, { spec, stop: prepared.stop });
  prepared.raises.onRaise = time.raise;
  const { watchdog } = time;
  const run = createRunContext(options, subject, { ...prepared, watchdog, history });
  const work = async (): Promise<Conclusion> => {
    await options.permitDefinition(run);
    await enterWorktree(run);
    return makeAttempts(run, options);
  };
  const { tracing } = options;
  const working = tracing === undefined ? work() : tracing.run(subject, work);
  return onSettled(settleOnStop(working, run.signal, options.clock), () => {
    prepared.raises.onRaise = undefined;
    time.stop();
  });
}

/** Does not record a background result again, because the background run's journal holds it. */
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

/** Ends a run that was being cancelled when its process was killed. */
function honourCancel(history: readonly RunEvent[], stop: AbortController): void {
  const wish = history.find((event) => event.type === "cancel-requested");
  if (wish === undefined) return;
  const { reason: message, keepDetached = false } = wish;
  stop.abort(createStop("cancelled", { code: "cancelled", message }, { keepDetached }));
  stop.signal.throwIfAborted();
}

function hooksOf(
  { hooks = [], hooksOf: find }: Pick<ConductOptions, "hooks" | "hooksOf">,
  definition: AgentDefinition,
): readonly Hooks[] {
  return definition.hooks === undefined ? hooks : [...hooks, ...(find?.(definition) ?? [])];
}

function createRunContext(
  options: ConductOptions,
  { spec, definition }: RunToExecute,
  prepared: PreparedRun & { watchdog: Watchdog; history: readonly RunEvent[] },
): RunContext {
  const { registry, clock, activities, ask, seal, tracing } = options;
  const { slot, inbox, budget, granted, conclusion, warnings, watchdog, history } = prepared;
  const { signal } = prepared.stop;
  const memory = definition.memory && options.findMemory(definition);
  if (memory !== undefined && "problem" in memory) warnings.add(memory.problem);
  for (const grant of grantsOf(spec, history, seal)) granted.add(grant);
  return {
    spec,
    definition,
    registry,
    promptChanges: readPromptChanges(history),
    prefix: "",
    // `path.join` would keep ten pieces of the path in memory while the run waits.
    outputFolder: [options.outputRoot, spec.conversation ?? spec.rootId, spec.id].join(sep),
    steps: createSteps({ runId: spec.id, registry, clock, watchdog, history, tracing }),
    slot,
    watchdog,
    approvals: createApprovals({
      registry,
      ask,
      answers: prepared.answers,
      signal,
      seal,
      workspace: spec.workspace,
      history,
    }),
    findSkills: options.findSkills,
    readInstructions: options.readInstructions,
    memory: memory !== undefined && "folder" in memory ? memory : undefined,
    hooks: hooksOf(options, definition),
    inbox,
    budget,
    granted,
    signal,
    conclusion,
    warnings,
    waitFor: (work) => watchdog.ignoreSilenceWhile(slot.yieldWhile(work)),
    report(activity) {
      watchdog.heartbeat();
      activities.publish({ runId: spec.id, ...activity });
    },
    isWatched: () => activities.isWatched(spec.id),
    endReply: (step) => activities.endReply(spec.id, step),
    endOutput: (step) => activities.endOutput(spec.id, step),
  };
}
