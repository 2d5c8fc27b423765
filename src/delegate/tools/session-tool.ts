import type { z } from "zod";
import type { Tool, ToolCallDescription, ToolOutcome } from "../../tool/tool.ts";
import type { SessionScope } from "./session-scope.ts";
import type { ResultSchema } from "./tool-results.ts";

/**
 * A tool that starts runs in the background or works with them. Runs and callers outside of runs use the same tools with
 * different scopes.
 */
export interface SessionTool<Input> extends Pick<Tool, "name" | "description"> {
  /** A short description of the tool. */
  title: string;
  inputSchema: z.ZodType<Input>;
  resultSchema: ResultSchema;
  /** `none` for a tool that changes nothing. */
  access: "none" | "delegate";
  /** See `Tool.comesAfter`. Default false. */
  comesAfter?: boolean;
  /** Whether the call waits for the end of runs. Default false. */
  isWaiting?: boolean;
  describe(input: Input): Pick<ToolCallDescription, "title" | "subject">;
  call(input: Input, call: SessionCall): Promise<ToolOutcome>;
}

/** A call of a session tool. */
export interface SessionCall {
  scope: SessionScope;
  /** Aborts a wait. */
  signal: AbortSignal;
  /** Called for each run that the call starts or waits for. Must not throw. */
  onRun: (runId: string) => void;
}

/** How results of background runs reach the caller: `pushed` into its conversation, or `fetched` by it with `sessions_wait`. */
export type ResultDelivery = "pushed" | "fetched";
