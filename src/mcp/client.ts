import type { ClientCapabilities, Notification } from "@modelcontextprotocol/server";
import type { Cadre, DelegateTools, Run } from "../index.ts";
import type { Call } from "./call.ts";

/** Tells clients that something changed, whichever way they hear of it. */
export interface Announcer {
  toolsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
  /** Tells clients of 2025-11-25 anything else. */
  tell(notification: Notification): void;
}

/** One client: a connection, a session, or what calls itself by one name where the protocol has neither. */
export interface Client {
  readonly name: string;
  /** What it said last that it can do. */
  capabilities: ClientCapabilities;
  /** Calls that wait for the client to come back with an answer, by their keys; the oldest first. */
  readonly parked: Map<string, Call>;
  /** The outcomes of calls that it cancelled, which may still be ending. */
  readonly cancelled: Set<Promise<unknown>>;
  /** Runs at work that it looks after as tasks of 2025-11-25, by their ids. */
  readonly tasks: Set<string>;
  tell(notification: Notification): void;
  /** Its runs belong together; opened when it is first needed. */
  cadre(): Promise<Cadre>;
  tools(): Promise<DelegateTools>;
  /** How a run stands, whoever started it. */
  stateOf(runId: string): Promise<Run>;
  /** Waits for what it cancelled, stops listening, and leaves its runs to be continued by any process, or, with `finish`, goes on until they are done. */
  close(how: "leave" | "finish"): Promise<void>;
}
