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

/** A model request; the prompt has as many messages as `messages`. */
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
  /** The step of the call: stable over a resume, so it serves as an idempotency key. */
  stepKey: string;
  tool: string;
  /** One line for people. */
  title: string;
  input: JsonValue;
}

/** A tool call with its outcome. */
export interface HookedOutcome extends HookedCall {
  text: string;
  isError: boolean;
}

/** An answer with which a run would end. */
export interface HookedAnswer extends HookedRun {
  turn: number;
  text: string;
  /** A hook has already kept this run from ending. */
  isContinued: boolean;
}

/** A request for a run. */
export interface HookedDelegation {
  agent: string;
  task: string;
  /** The run that delegates; `null` for a request of the user or of the program. */
  parent: HookedRun | null;
}

/** What a hook gets besides what happens. */
export interface HookContext {
  /** Aborts when the run is to end. */
  signal: AbortSignal;
}

/** What hooks can decide. Each point of a run allows some of it. */
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
  /** A message that the model reads before its next request; of `afterTool`, text after that of the outcome. */
  context?: string;
  /** A message to an agent that would end, and then continues. */
  continue?: string;
  /** Sends a long conversation whole, which may fail. */
  keep?: true;
  /** A warning of the run's result. */
  warning?: string;
}

/** What a hook returns: nothing to let everything be, or decisions. */
export type HookDecision<Key extends keyof Decisions> =
  | Promise<MaybeDecided<Key>>
  | MaybeDecided<Key>;

/** Nothing, or those of the {@link Decisions} that a point allows. */
export type MaybeDecided<Key extends keyof Decisions> =
  | undefined
  | void
  | Pick<Decisions, Key | "warning">;

/**
 * Interceptors at the points of a run. Each function gets a copy of what happens, and returns nothing or a decision. Hooks can
 * restrict what the configuration allows, never extend it. A decision is recorded, so that a resume makes the same one; a hook
 * that decided nothing may be called again after a crash, at the same point.
 *
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
   * After the result of a run is durable, and before it is handed over. Called at most once. What it throws becomes a warning of the
   * process.
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
  /** After a tool call: another text for the model, or text after it. */
  afterTool?(
    outcome: HookedOutcome,
    context: HookContext,
  ): HookDecision<"text" | "context" | "stop">;
  /** Before a run is created: another task, or a refusal. */
  beforeDelegation?(request: HookedDelegation, context: HookContext): HookDecision<"task" | "deny">;
  /** Before an agent ends with an answer: `continue` is a message to the model, which then continues. */
  beforeEnd?(answer: HookedAnswer, context: HookContext): HookDecision<"continue" | "stop">;
  /** Before a conversation that fills the model's context is shortened. `keep` sends it whole, which may fail. */
  beforeCompaction?(request: HookedRequest, context: HookContext): HookDecision<"keep" | "stop">;
  /** Before the user is asked for permission: a refusal in the user's place. */
  beforeQuestion?(
    request: HookedRun & ApprovalRequest,
    context: HookContext,
  ): HookDecision<"deny" | "stop">;
}
