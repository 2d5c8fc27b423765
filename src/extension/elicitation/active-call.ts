import type { ToolContext } from "../../tool/tool.ts";
import type { Deadline } from "./deadline.ts";

/** A call of a server's tool in progress. */
export interface ActiveCall {
  /** The name the model knows. */
  tool: string;
  context: ToolContext;
  deadline: Deadline;
}
