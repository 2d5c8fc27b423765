// Questions of MCP servers to the user.

import type { JsonObject } from "../../source/json.ts";
import type { ElicitValue } from "./elicit-field.ts";

/** A call of a server's tool in progress, with the run that made it. */
export interface ElicitCaller {
  runId: string;
  stepKey: string;
  /** The name of the tool as the model knows it. */
  tool: string;
  /** The agents from the root run down to the calling run. */
  chain: readonly string[];
}

/**
 * A question to the user during a call: from a server, a tool of the program, or an agent. Plain JSON. A server's or an agent's
 * `message` and `schema` are untrusted and of limited length.
 */
export interface ElicitRequest {
  /** The name of the server or tool. */
  extension: string;
  /** The asker: an MCP server, a tool of the program, or the agent itself. */
  from: "server" | "tool" | "agent";
  /** The server's calls in progress, usually one, or the tool's call. The question belongs to one of them. */
  callers: readonly ElicitCaller[];
  message: string;
  /** The JSON Schema of the answer: an object whose properties are texts, numbers, booleans or choices. */
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
