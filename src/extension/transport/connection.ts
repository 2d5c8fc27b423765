// Connections to MCP servers, over a process or over HTTP.

import type { Client, ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { ProcessEnvironment } from "../../source/process-environment.ts";

/** An initialized connection to a server. */
export interface Connection {
  client: Client;
  /**
   * Describes how the connection ended, with the end of stderr, such as `it ended (exit code 1)`; `null` while it is
   * open.
   */
  end(): string | null;
  /** Treats the connection as ended, because the server lost the session and must be initialized again. */
  discard(reason: string): Promise<void>;
  /** Ends the server with all its processes. */
  close(): Promise<void>;
}

/** The resources of a connection in addition to the configuration. */
export interface ConnectionResources {
  environment: ProcessEnvironment;
  /** An absolute path. */
  workspace: string;
  onToolsChanged: () => void;
  onElicit: (params: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>;
  /** Aborts the attempt. Its reason says why, such as `it did not answer within 60 s`. */
  signal: AbortSignal;
}

/** Disables the time limits of the protocol library. Cadre's own limits apply, because tests can replace their clock. */
export const noTimeoutMs: number = 2 ** 31 - 1;
