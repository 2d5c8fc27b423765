import type { AgentDefinition } from "../agent/agent.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunSpec } from "../run/run.ts";
import type { JsonValue } from "../source/json.ts";
import type { Skill } from "../tool/skill.ts";
import type { Approvals } from "./approvals.ts";
import type { Inbox } from "./inbox.ts";
import type { RunBudget } from "./budget/run-budget.ts";
import type { Slot } from "./slots.ts";
import type { Steps } from "./steps.ts";
import type { Watchdog } from "./watchdog.ts";

/** One execution of a run, as the code that conducts it sees it. */
export interface Session {
  spec: RunSpec;
  definition: AgentDefinition;
  registry: Registry;
  steps: Steps;
  /** What the keys of the steps of this attempt begin with; empty in the first one. */
  prefix: string;
  /** The folder of its long outputs, beside those of its family; absolute. */
  outputFolder: string;
  slot: Slot;
  watchdog: Watchdog;
  approvals: Approvals;
  /** The skills there are; definitions name some of them. */
  findSkills: () => Promise<readonly Skill[]>;
  inbox: Inbox;
  budget: RunBudget;
  /** The calls the user allowed for good, shared by the family. */
  granted: Set<string>;
  /** Aborted with a `Stop` when the run is to end. */
  signal: AbortSignal;
  /** What the agent has said or produced so far, complete or not. A run that fails or is stopped keeps it. */
  said: Conclusion;
  /** What the result will warn about. */
  warnings: Set<string>;
  /** Tells listeners, and the watchdog, what is happening. */
  report(kind: "text" | "progress", text: string): void;
}

/** How the conducting of a run went well. */
export interface Conclusion {
  text: string;
  output?: JsonValue;
}
