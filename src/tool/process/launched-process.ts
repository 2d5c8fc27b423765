import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { FilteredNetwork } from "../network-proxy/filtered-network.ts";

/** A program to start. */
export interface LaunchRequest {
  /** Program and arguments. */
  command: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** `NAME=value`: set in the environment of every process, to find them. */
  marker: string;
  /** Whether the program is a sandbox, which sets the marker inside by itself. */
  isSandboxed: boolean;
  /** Whether the program gets input. */
  hasInput: boolean;
  /** The network of a sandboxed command that may reach some hosts. */
  network?: FilteredNetwork;
}

/** How a program ended. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A started program with all its processes. */
export interface LaunchedProcess {
  pid: number;
  /** `null` without input. */
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  /** Resolves when the program and all its processes have ended, with how the program ended. */
  ended: Promise<ProcessEnd>;
  /** Asks every process to end. */
  terminate(): void;
  /** Kills every process. */
  kill(): void;
}

/** A child process whose output is read. */
export type PipedProcess = ChildProcess & { stdout: Readable; stderr: Readable };
