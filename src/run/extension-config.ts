/** An MCP server that gives a run tools, started for its family. */
export type ExtensionConfig = StdioExtension | HttpExtension;

interface ExtensionBase {
  /** Its tools are `mcp__NAME__TOOL`. Unique among the extensions of a run. */
  name: string;
  description?: string;
  /** Seconds a call may take. Default 300. */
  timeoutSeconds?: number;
  /** Patterns (`*` stands for anything) of the server's own tool names; absent = all. */
  allow?: readonly string[];
  /** Applied before `allow`. */
  deny?: readonly string[];
  /** Patterns of its tools that only read, as its user knows: they need no permission, and are repeated after a crash. */
  readOnly?: readonly string[];
  /** The names of variables of Cadre's environment that it gets, or that `${NAME}` in a header or argument stands for. */
  environmentKeys?: readonly string[];
  /** A run goes on without it, with a warning, when it cannot be used. Default: the run fails. */
  optional?: boolean;
  /**
   * Where it is written, if not as Cadre's own: a recipe calls its fields `env_keys`, `envs` and `uri`, and means arguments
   * and values of variables as they stand, with any `${NAME}` in them.
   */
  format?: "recipe";
}

/** A server that is a process of its own, spoken to over its standard streams. */
export interface StdioExtension extends ExtensionBase {
  type: "stdio";
  command: string;
  args: readonly string[];
  /** Values written in the file. */
  environment?: Readonly<Record<string, string>>;
  /** Absolute; absent = the workspace. */
  cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface HttpExtension extends ExtensionBase {
  type: "streamable_http";
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/** Where an extension is written down: in the configuration, or in an agent (a recipe too) that brings it along. */
export type ExtensionOrigin =
  | { kind: "configuration" }
  /** `path` is the absolute path of the agent's file; `null` for an agent given in code. */
  | { kind: "agent"; agent: string; path: string | null };

/** An extension as a run records it: enough to find its configuration again, and nothing that may be a secret. */
export interface StoredExtension {
  name: string;
  origin: ExtensionOrigin;
  /** A hash of what is started or reached, without secret values; another hash means that it has changed. */
  digest: string;
  type: ExtensionConfig["type"];
  /** The agent brings it along: its tools are no matter of what the parent has. */
  isOwn?: boolean;
  description?: string;
}
