// Questions of MCP servers to the user.

import type { JsonObject } from "../../source/json.ts";
import type { ElicitValue } from "./elicit-field.ts";

/** A call of a server's tool in progress, with the run that made it. */
export interface ElicitCaller {
  runId: string;
  stepKey: string;
  /** The tool, by the name given to the model. */
  tool: string;
  /** The agents from the root run down to the calling run. */
  chain: readonly string[];
}

/**
 * A question of a server, of a tool of the program or of an agent to the user during a call. Plain JSON. `message` and `schema` of a server
 * or an agent are untrusted and of limited length.
 */
export interface ElicitRequest {
  /** The name of the server, or of the tool. */
  extension: string;
  /** Whose question it is: an MCP server's, a tool's of the program, or the agent's own. */
  from: "server" | "tool" | "agent";
  /** The server's calls in progress, usually one, or the call of the tool. The question belongs to one of them. */
  callers: readonly ElicitCaller[];
  message: string;
  /** The JSON Schema of the answer: an object whose properties are text, numbers, yes/no, or a choice. */
  schema: JsonObject;
}

/** The user's answer. `decline` refuses the question; `cancel` leaves it unanswered. */
export type ElicitAnswer =
  | { action: "accept"; content: Readonly<Record<string, ElicitValue>> }
  | { action: "decline" }
  | { action: "cancel" };

/**
 * Asks the user a server's question. It should reject when `signal` aborts, because the call has ended. Any rejection
 * answers the server with `cancel`.
 */
export type OnElicit = (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitAnswer>;
