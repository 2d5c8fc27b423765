// Hooks: functions of the user that Cadre calls at points of a run, and their decisions.

import type { ReplyPart } from "../../model/model.ts";
import type { ApprovalRequest } from "../../run/permission.ts";
import type { RunResult } from "../../run/result.ts";
import type { JsonValue } from "../../source/json.ts";

/** The run that a hook is called for. */
export interface HookedRun {
  runId: string;
  /** The first run of its family. */
  rootId: string;
  /** `null` for a root run. */
  parentId: string | null;
  agent: string;
  task: string;
  /** Absolute. */
  workspace: string;
}

/** A model request. `messages` is the number of messages in its prompt. */
export interface HookedRequest extends HookedRun {
  /** Counted from 1. */
  turn: number;
  model: string | null;
  messages: number;
}

/** A reply of the model. */
export interface HookedReply extends HookedRun {
  turn: number;
  parts: readonly ReplyPart[];
}

/** A tool call. */
export interface HookedCall extends HookedRun {
  /** The step of the call. It is stable across resumes, so it can serve as an idempotency key. */
  stepKey: string;
  tool: string;
  /** One line, for display. */
  title: string;
  input: JsonValue;
}

/** A tool call with its outcome. */
export interface HookedOutcome extends HookedCall {
  text: string;
  isError: boolean;
}

/** An answer that would end a run. */
export interface HookedAnswer extends HookedRun {
  turn: number;
  text: string;
  /** Whether a hook has already kept this run from ending. */
  isContinued: boolean;
}

/** A request for a run. */
export interface HookedDelegation {
  agent: string;
  task: string;
  /** The run that delegates; `null` for a request of the user or of the program. */
  parent: HookedRun | null;
}

/** The second argument of a hook. */
export interface HookContext {
  /** Aborts when the run is to end. */
  signal: AbortSignal;
}

/** The decisions that hooks can make. Each point of a run allows some of them. */
export interface Decisions {
  /** Ends the run, which fails with `permission-denied` and this reason. */
  stop?: string;
  /** Refuses a call, a delegation or a question, with a reason that the model reads. */
  deny?: string;
  /** Asks the user, with this reason, even where the mode allows the call. */
  ask?: string;
  /** Replaces the arguments of a call, which is then checked like any other. */
  input?: JsonValue;
  /** Replaces the text of an outcome. */
  text?: string;
  /** Replaces the task of a run that is created. */
  task?: string;
  /** A message for the model's next request; for `afterTool`, text that is added to the outcome. */
  context?: string;
  /** A message to an agent that is about to end. The agent then continues. */
  continue?: string;
  /** Sends a long conversation without compaction; the request may fail. */
  keep?: true;
  /** A warning for the run's result. */
  warning?: string;
}

/** The return value of a hook: nothing, which changes nothing, or decisions. */
export type HookDecision<Key extends keyof Decisions> =
  | Promise<MaybeDecided<Key>>
  | MaybeDecided<Key>;

/** Nothing, or those of the {@link Decisions} that a point allows. */
export type MaybeDecided<Key extends keyof Decisions> =
  | undefined
  | void
  | Pick<Decisions, Key | "warning">;

/**
 * Interceptors at the points of a run. Each function gets a copy of the event, and returns nothing or a decision. Hooks can
 * restrict what the configuration allows, never extend it. A decision is recorded, and a resume repeats it. A hook that decided
 * nothing may be called again at the same point after a crash.
 * A hook that throws, or takes longer than `timeoutMs`, denies the tool call or the delegation it was asked about; elsewhere the
 * run fails.
 */
export interface Hooks {
  /** Shown in messages. Default: `hook` and its position in the list. */
  name?: string;
  /** How long one call may take, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Before a run executes. Only an agent that is a prompt reads the context. */
  beforeRun?(run: HookedRun, context: HookContext): HookDecision<"context" | "stop">;
  /**
   * Called at most once, after the result of a run is durable and before the caller receives it. An error becomes a warning of
   * the process.
   */
  afterRun?(run: HookedRun, result: RunResult): void | Promise<void>;
  /** Before a request to the model, including its retries. */
  beforeModel?(request: HookedRequest, context: HookContext): HookDecision<"context" | "stop">;
  /** After a reply, before its calls are executed. */
  afterModel?(reply: HookedReply, context: HookContext): HookDecision<"context" | "stop">;
  /**
   * Before a tool call, ahead of the permission check: another `input`, a question to the user, a refusal that the model reads, or
   * the end of the run.
   */
  beforeTool?(
    call: HookedCall,
    context: HookContext,
  ): HookDecision<"input" | "ask" | "deny" | "stop">;
  /** After a tool call: replaces the text for the model, or adds to it. */
  afterTool?(
    outcome: HookedOutcome,
    context: HookContext,
  ): HookDecision<"text" | "context" | "stop">;
  /** Before a run is created: replaces the task, or refuses the run. */
  beforeDelegation?(request: HookedDelegation, context: HookContext): HookDecision<"task" | "deny">;
  /** Before an agent ends with an answer: `continue` is a message to the model, which then continues. */
  beforeEnd?(answer: HookedAnswer, context: HookContext): HookDecision<"continue" | "stop">;
  /** Before a conversation that fills the model's context is compacted. `keep` sends it whole, which may fail. */
  beforeCompaction?(request: HookedRequest, context: HookContext): HookDecision<"keep" | "stop">;
  /** Before the user is asked for permission: refuses on the user's behalf. */
  beforeQuestion?(
    request: HookedRun & ApprovalRequest,
    context: HookContext,
  ): HookDecision<"deny" | "stop">;
}
