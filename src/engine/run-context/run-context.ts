// The parts of one execution of a run: steps, approvals, inbox, watchdog, stop, tracing and decisions of hooks.

import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import type { JsonValue } from "../../source/json.ts";
import type { InstructionFiles } from "../../tool/instruction-file/instruction-file.ts";
import type { AgentMemory } from "../../tool/memory/agent-memory.ts";
import type { Skill } from "../../tool/skill/skill.ts";
import type { Activity } from "../engine.ts";
import type { Approvals } from "./approvals.ts";
import type { PromptChanges } from "../conversation/prompt-changes.ts";
import type { Hooks } from "../hook/hooks.ts";
import type { Inbox } from "./inbox.ts";
import type { RunBudget } from "../budget/run-budget.ts";
import type { Slot } from "../schedule/slots.ts";
import type { Steps } from "./steps.ts";
import type { Watchdog } from "./watchdog.ts";

/** The context in which one run is executed. */
export interface RunContext {
  spec: RunSpec;
  definition: AgentDefinition;
  registry: Registry;
  steps: Steps;
  /** The changes of earlier executions to the conversation. */
  promptChanges: PromptChanges;
  /** The prefix of step keys in this attempt; empty in the first one. */
  prefix: string;
  /** The folder of the run's long outputs; absolute. */
  outputFolder: string;
  slot: Slot;
  watchdog: Watchdog;
  approvals: Approvals;
  /** Finds all skills; definitions name some of them. */
  findSkills: () => Promise<readonly Skill[]>;
  /** Reads the instruction files of a workspace (absolute, symlinks resolved). */
  readInstructions: (workspace: string) => Promise<InstructionFiles>;
  /** The memory of its agent, if the agent has one and may use it. */
  memory: AgentMemory | undefined;
  inbox: Inbox;
  budget: RunBudget;
  /** The calls that the user allowed permanently. Shared by the family. */
  granted: Set<string>;
  /** Called at the points of the run, in this order. */
  hooks: readonly Hooks[];
  /** Aborted with a `Stop` when the run must end. */
  signal: AbortSignal;
  /** The output so far. A run that fails or is stopped keeps it. */
  conclusion: Conclusion;
  /** Warnings for the result. */
  warnings: Set<string>;
  /** Waits for other runs or messages. Gives the slot back, and ignores silence, because the other runs show activity. */
  waitFor<Value>(work: Promise<Value>): Promise<Value>;
  /** Reports output to watchers, and activity to the watchdog. */
  report(activity: Activity): void;
  /** Reports whether the run has a watcher, so that streaming its replies is worthwhile. */
  isWatched(): boolean;
  /** Marks the reply of a step as complete or lost. */
  endReply(step: string): void;
  /** Marks the call of a step as ended. */
  endOutput(step: string): void;
}

/** The outcome of a successful run. */
export interface Conclusion {
  text: string;
  output?: JsonValue;
}
