import type { Readable, Writable } from "node:stream";
import type { FilteredNetwork } from "../network-proxy/filtered-network.ts";

/** A program to start. */
export interface LaunchRequest {
  /** Program and arguments. */
  command: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** `NAME=value`: in the environment of every process that is started, by which those are found. */
  marker: string;
  /** Whether the program is a sandbox, which puts the marker into the environment inside by itself. */
  isSandboxed: boolean;
  /** Whether it gets input. */
  hasInput: boolean;
  /** What the command was wrapped with, when it is in a sandbox that reaches some hosts. */
  network?: FilteredNetwork;
}

/** How a program ended. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that was started, with all that it starts. */
export interface LaunchedProcess {
  pid: number;
  /** `null` without input. */
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  /** Resolves when the program and everything it started have ended, with how the program ended. */
  ended: Promise<ProcessEnd>;
  /** Asks every process to end. */
  terminate(): void;
  /** Kills every process. */
  kill(): void;
}
