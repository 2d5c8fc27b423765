import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ClientQuestion } from "../question/question-pool.ts";

/** A tool call. It may take several requests of the client. */
export interface Call {
  /** The state that the client sends back. It is new for each round. */
  key: string;
  /** Resolves with the id of the first run that the call started or waits for. */
  begun: Promise<string>;
  outcome: Promise<CallToolResult>;
  /** Reports whether the call waits for a run of the family. */
  concerns(rootId: string): boolean;
  /** Reports whether the call needs an answer to the question and its client can give one. */
  needs(question: ClientQuestion): boolean;
  /** Ends the run that the call waits for. */
  cancel(): void;
  /** Stops waiting; the run becomes a background run. */
  leave(): void;
}
