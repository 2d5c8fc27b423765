import type { JsonValue } from "../../source/json.ts";
import type { Usage } from "../../run/usage.ts";
import type { AipOptions } from "../document/aip-options.ts";
import type { LuaLimits } from "../lua/lua-thread.ts";

/**
 * The port through which an `.aip` agent reaches everything outside Lua. The caller implements it with a run's durable steps,
 * permissions and delegation, or with fakes in tests. A function rejects to refuse; a script sees that as an error it can catch,
 * except for an abort of `signal`, which ends the agent.
 *
 * Keys are unique in one execution, and the same when a resume executes it again.
 */
export interface AipPort {
  /** The run's id: in `CTX`, and as the name of its folder of temporary files. */
  runId: string;
  /** The run that called this one; absent when there is none. */
  parentRunId?: string;
  /** The folder that relative paths start from. Absolute, symlinks resolved. */
  workspace: string;
  /** The user's home folder, for `~` and `.aipack-base`. */
  home: string;
  /** Whether modules of the workspace may run. Default `true`. */
  isWorkspaceTrusted?: boolean;
  limits?: LuaLimits & {
    /** The maximum number of redos. Default 20. */
    redos?: number;
    /** The maximum number of calls of one script to functions outside Lua. Default 50,000. */
    calls?: number;
  };
  /** Ends the agent at once, including Lua. */
  signal: AbortSignal;
  /** Asks a model. Durable: a resume returns the same answer for the same key. */
  ask(request: AipAsk, key: string): Promise<AipAnswer>;
  /** Runs another agent by delegation. Durable, like `ask`. */
  runAgent(call: AipAgentCall, key: string): Promise<AipResponse>;
  /**
   * Calls `work` once; a resume returns the recorded value. With an `act`, requests permission first, and rejects without calling
   * `work` when permission is denied.
   */
  step<Value extends JsonValue>(step: AipStep, work: () => Promise<Value>): Promise<Value>;
  /** Returns the absolute path with symlinks resolved. Throws for a path outside all folders. */
  confine(path: string, folders: { workspace: string; alsoReadable: readonly string[] }): string;
  /** Writes a whole file and creates its folders. The path is already confined. */
  write(path: string, content: string | Buffer): Promise<void>;
  /** Executes a command and waits for its end. A non-zero exit code is a valid result. */
  execute(command: AipCommand, signal: AbortSignal): Promise<AipCommandResult>;
  /** Sends a web request. Refuses addresses that are not on the public Internet. */
  request(request: AipWebRequest, signal: AbortSignal): Promise<AipWebAnswer>;
  /** Reports something to the user. A resume reports it again. */
  report(report: AipReport): void;
  /** Called at the end of each script, because an agent may work on many inputs without a step. */
  onProgress?: () => void;
}

/** One durable step. */
export interface AipStep {
  key: string;
  /** One line for trees, such as `aip.file.save notes.md`. */
  title: string;
  /** The change or outside access of the step; absent when it only reads files or clocks. */
  act?: AipAct;
}

/** An action that needs permission. */
export interface AipAct {
  kind: "write" | "delete" | "command" | "web";
  /** The absolute path, the command line, or the URL. */
  subject: string;
  /** Other absolute paths that change: the source of a move, the files of a deleted folder. */
  others?: readonly string[];
}

/** One message of a prompt. */
export interface AipMessage {
  role: "user" | "assistant";
  text: string;
  /** Whether the provider should cache the prompt up to here. */
  isCached: boolean;
  /** A file to attach, absolute. */
  attachment?: string;
}

/** A model call. */
export interface AipAsk {
  /** All system sections; empty when there are none. */
  system: string;
  /** Whether to cache a system section. */
  isSystemCached: boolean;
  messages: readonly AipMessage[];
  /** The model with aliases resolved; `undefined` = the run's. */
  model: string | undefined;
  temperature: number | undefined;
  topP: number | undefined;
  /** The reasoning effort; `undefined` = the model's default. */
  effort: "low" | "medium" | "high" | undefined;
  /** The index of the input, 0-based. */
  input: number;
}

/** A model's answer. */
export interface AipAnswer {
  text: string;
  reasoning?: string;
  /** The provider's name of the model. */
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
  /** The folder that relative paths start from. */
  from: string;
  /** `undefined` = none. */
  inputs: JsonValue[] | undefined;
  options: AipOptions;
}

/** The result of an agent. */
export interface AipResponse {
  /** The value that `# Output` returned, or the model's text, per input; `null` for skipped inputs. */
  outputs: JsonValue[];
  /** The value that `# After All` returned; `null` without one. */
  after_all: JsonValue;
  /** Why `# Before All` skipped the whole run; absent when it did not. */
  skipped?: string;
  /** The agent requested a redo, and the calling script decides. Absent without a request. */
  redo_requested?: true;
}

/** A command. */
export interface AipCommand {
  command: string;
  args: readonly string[];
  /** Absolute and confined. */
  cwd: string;
}

/** The result of a command. */
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
  /** The maximum number of redirects. */
  redirects: number;
}

/** A web response with any status. */
export interface AipWebAnswer {
  status: number;
  /** The URL after redirects. */
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  content: string;
}

/** A script's report to the user. */
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
