import type { JsonValue } from "../source/json.ts";
import type { Usage } from "../run/usage.ts";
import type { AipOptions } from "./aip-options.ts";
import type { LuaLimits } from "./lua-thread.ts";

/**
 * All that an `.aip` agent has of the world. Whoever runs one implements it: with a run's durable steps, permissions
 * and delegation, or with fakes in tests. Functions reject when they refuse; inside of Lua that is an error a script
 * can catch, except for an abort of `signal`, which ends the agent.
 *
 * Keys are unique in one execution and the same when it is executed again.
 */
export interface AipPort {
  /** Names the run in `CTX`, and its folder of temporary files. */
  runId: string;
  /** The folder that relative paths begin at. Absolute, symlinks resolved. */
  workspace: string;
  /** The user's home, for `~` and `.aipack-base`. */
  home: string;
  /** Whether modules that lie in the workspace may run; as when left out. */
  isWorkspaceTrusted?: boolean;
  /** Other folders that may be read. */
  readRoots?: readonly string[];
  /** What `os.getenv` finds; without it nothing. Never secrets. */
  environment?: Readonly<Record<string, string>>;
  limits?: LuaLimits & {
    /** How often an agent may ask to be run again. Default 20. */
    redos?: number;
    /** How often one script may call what lies outside of Lua. Default 50,000. */
    calls?: number;
  };
  /** Ends the agent at once, Lua included. */
  signal: AbortSignal;
  /** Asks a model. Durable: the same key gives the same answer when executed again. */
  ask(request: AipAsk, key: string): Promise<AipAnswer>;
  /** Runs another agent: a delegation like any other. Durable, like `ask`. */
  runAgent(call: AipAgentCall, key: string): Promise<AipResponse>;
  /**
   * Does `work` once: when executed again, gives the recorded value instead. Where the step has an `act`, asks for
   * permission first, and rejects without working when it is refused.
   */
  step<Value extends JsonValue>(step: AipStep, work: () => Promise<Value>): Promise<Value>;
  /** The absolute path behind one, symlinks resolved; throws for what is in none of the folders. */
  confine(path: string, folders: { workspace: string; alsoReadable: readonly string[] }): string;
  /** Writes a file whole, folders included. The path was confined. */
  write(path: string, content: string | Buffer): Promise<void>;
  /** Executes a command and waits for it; an exit code other than 0 is an answer. */
  execute(command: AipCommand, signal: AbortSignal): Promise<AipCommandResult>;
  /** Makes a web request; refuses addresses that are not on the public Internet. */
  request(request: AipWebRequest, signal: AbortSignal): Promise<AipWebAnswer>;
  /** Something for people to see. Said again when executed again. */
  report(report: AipReport): void;
  /** Hears of each script that ended: an agent may work on many inputs without a step. */
  onProgress?: () => void;
}

/** One durable step. */
export interface AipStep {
  key: string;
  /** One line for trees, such as `aip.file.save notes.md`. */
  title: string;
  /** What it changes or reaches outside of the workspace; absent for looking at files and clocks. */
  act?: AipAct;
}

/** Something that needs permission. */
export interface AipAct {
  kind: "write" | "delete" | "command" | "web";
  /** The absolute path, the command line, or the URL. */
  subject: string;
  /** Absolute paths that change with it: the source of a move, the files in a folder that is deleted. */
  others?: readonly string[];
}

/** One message of a prompt. */
export interface AipMessage {
  role: "user" | "assistant";
  text: string;
  /** Whether the provider should cache everything up to here. */
  isCached: boolean;
  /** A file to send with it, absolute. */
  attachment?: string;
}

/** A model call. */
export interface AipAsk {
  /** All system sections; empty when there are none. */
  system: string;
  /** Whether a system section is to be cached. */
  isSystemCached: boolean;
  messages: readonly AipMessage[];
  /** The model behind aliases; `undefined` = the run's. */
  model: string | undefined;
  temperature: number | undefined;
  topP: number | undefined;
  /** How much it shall reason; `undefined` = as it does by itself. */
  effort: "low" | "medium" | "high" | undefined;
  /** The input it is about, 0-based. */
  input: number;
}

/** What a model said. */
export interface AipAnswer {
  text: string;
  reasoning?: string;
  /** The model as the provider names it. */
  model: string;
  provider: string;
  usage: Usage;
  /** US dollars; `null` = unknown. */
  cost: number | null;
  durationMs: number;
}

/** A call of another agent. */
export interface AipAgentCall {
  /** `ns@pack/path`, a path relative to `from`, or a name. */
  reference: string;
  /** The folder that relative paths begin at. */
  from: string;
  /** `undefined` = none. */
  inputs: JsonValue[] | undefined;
  options: AipOptions;
}

/** What an agent gives back. */
export interface AipResponse {
  /** What `# Output` returned, or the model's text, by input; `null` for inputs that were skipped. */
  outputs: JsonValue[];
  /** What `# After All` returned; `null` for nothing. */
  after_all: JsonValue;
  /** Why the whole run was skipped in `# Before All`; absent when it was not. */
  skipped?: string;
}

/** A command. */
export interface AipCommand {
  command: string;
  args: readonly string[];
  /** Absolute and confined. */
  cwd: string;
}

/** What came of a command. */
export interface AipCommandResult {
  stdout: string;
  stderr: string;
  exit: number;
}

/** A web request. */
export interface AipWebRequest {
  method: "GET" | "POST";
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** How many redirects to follow. */
  redirects: number;
}

/** A web answer of any status. */
export interface AipWebAnswer {
  status: number;
  /** After redirects. */
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  content: string;
}

/** What a script wants people to see. */
export type AipReport =
  | { type: "print"; text: string; input?: number }
  | { type: "label"; scope: "run" | "task"; label: string; input?: number }
  | {
      type: "pin";
      scope: "run" | "task";
      iden: string;
      priority: number | null;
      label: string | null;
      content: string;
      input?: number;
    }
  | { type: "skip"; reason: string; input?: number }
  | { type: "warning"; text: string };
