import type { ToolContext } from "../../tool/tool.ts";
import type { Deadline } from "./deadline.ts";

/** A tool call in progress. */
export interface ActiveCall {
  /** The name of the tool as the model knows it. */
  tool: string;
  context: ToolContext;
  deadline: Deadline;
}
