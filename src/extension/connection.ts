import type { Client, ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Environment } from "./launch-config.ts";

/** A server that was greeted. */
export interface Connection {
  client: Client;
  /** How it ended, with its last words, as in `it ended (exit code 1)`; `null` while it lives. */
  end(): string | null;
  /** Takes it for ended: it has forgotten us, and has to be greeted anew. */
  discard(reason: string): Promise<void>;
  /** Ends it and everything it started. */
  close(): Promise<void>;
}

/** What a connection needs besides the configuration. */
export interface ConnectPlace {
  environment: Environment;
  /** Absolute. */
  workspace: string;
  onToolsChanged: () => void;
  onElicit: (params: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>;
  /** Ends the attempt; its reason says why, as in `it did not answer within 60 s`. */
  signal: AbortSignal;
}

/** Far away: our own time limits hold, and they know a clock that can be replaced. */
export const noTimeoutMs: number = 2 ** 31 - 1;
