// An MCP client of the server: its capabilities, its Cadre and its model.

import type { ClientCapabilities, Notification } from "@modelcontextprotocol/server";
import type { Cadre, DelegateTools, Run } from "../../host.ts";
import type { Call } from "./call.ts";

/** Notifies clients of changes as their protocol generation requires. */
export interface Announcer {
  toolsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
  /** Sends clients of 2025-11-25 any other notification. */
  notify(notification: Notification): void;
}

/** A client: a connection, a session, or a client name where the protocol has neither. */
export interface Client {
  readonly name: string;
  /** Its latest capabilities. */
  capabilities: ClientCapabilities;
  /** Calls that wait for an answer of the client, by key; oldest first. */
  readonly parked: Map<string, Call>;
  /** The outcomes of cancelled calls, which may still be ending. */
  readonly cancelled: Set<Promise<unknown>>;
  /** Active runs that are its tasks of 2025-11-25, by id. */
  readonly tasks: Set<string>;
  notify(notification: Notification): void;
  /** Returns the `Cadre` of the client's runs. Opens it on first use. */
  cadre(): Promise<Cadre>;
  tools(): Promise<DelegateTools>;
  /** Returns the current state of any run. */
  stateOf(runId: string): Promise<Run>;
  /** Waits for cancelled calls and stops listening. With `leave`, any process may resume its runs; `finish` waits for them. */
  close(how: "leave" | "finish"): Promise<void>;
}
