// The types of what the API sends.

import type { RunEvent } from "../../src/run/event.ts";
import type { RunOverview } from "../../src/run/run-overview.ts";
import type { Question } from "../../src/runtime/question.ts";
import type { RunStreamPart } from "../../src/runtime/stream/stream-part.ts";

export type { Question, RunEvent, RunStreamPart };

/** A run, and whether its process is gone. */
export type ServedRun = RunOverview & { isLeft: boolean };

/** A part of a conversation that an element shows. */
export type PartOf<Type extends RunStreamPart["type"]> = Extract<RunStreamPart, { type: Type }>;

/** An agent, and whether it can run. */
export interface ServedAgent {
  name: string;
  description: string;
  isUsable: boolean;
  model?: string;
  tools?: readonly string[];
  timeoutSeconds: number;
  source: { format: string; scope: string; path: string | null };
  diagnostics: readonly Finding[];
}

/** A finding in a file. */
export interface Finding {
  path: string;
  line: number;
  severity: "error" | "warning" | "info";
  code: string;
  message: string;
  fix: string | null;
}

/** The use in a period. */
export interface UsagePeriod {
  start: string;
  group: string | null;
  runs: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
}

/** A conversation that a search found. */
export interface FoundConversation {
  id: string;
  lastRunId: string;
  title: string;
  turns: number;
}
