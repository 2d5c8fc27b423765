import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Question } from "./question-pool.ts";

/** A call of a tool, which may take several requests of the client. */
export interface Call {
  /** What the client comes back with, another one for each round. */
  key: string;
  /** Resolves with the id of the first run it started or waits for. */
  begun: Promise<string>;
  outcome: Promise<CallToolResult>;
  /** Whether it waits for a run of the family. */
  concerns(rootId: string): boolean;
  /** Whether the question is one that must be answered before it goes on, and that its client can answer. */
  needs(question: Question): boolean;
  /** Ends the run it waits for. */
  cancel(): void;
  /** Waits no longer; the run is one in the background then. */
  leave(): void;
}
