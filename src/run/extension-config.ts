/** The configuration of an MCP server that provides tools to a run. One server is started for each family. */
export type ExtensionConfig = StdioExtension | HttpExtension;

/** The fields of both kinds of MCP servers. */
export interface ExtensionBase {
  /** Its tools are named `mcp__NAME__TOOL`. Unique among the extensions of a run. */
  name: string;
  description?: string;
  /** The time limit of a call, in seconds. Default 300. */
  timeoutSeconds?: number;
  /** Patterns for the tools to offer, by the server's own names (`*` matches anything); absent = all. */
  allow?: readonly string[];
  /** Patterns for the tools not to offer. They take precedence over `allow`. */
  deny?: readonly string[];
  /** Patterns for the tools that only read. These need no permission, and interrupted calls are repeated after a crash. */
  readOnly?: readonly string[];
  /**
   * The variables of Cadre's environment that the server receives, or that `${NAME}` in a header or argument refers to.
   */
  environmentKeys?: readonly string[];
  /** Whether a run continues with a warning when the server is unusable. Default false: the run fails. */
  optional?: boolean;
  /**
   * The format of its source, if not Cadre's own. In a recipe the fields are named `env_keys`, `envs` and `uri`, and
   * `${NAME}` in arguments and values is literal.
   */
  format?: "recipe";
}

/** A server in its own process, over its standard streams. */
export interface StdioExtension extends ExtensionBase {
  type: "stdio";
  command: string;
  args: readonly string[];
  /** Additional environment variables of the process, with their values. */
  environment?: Readonly<Record<string, string>>;
  /** The working directory, absolute; absent = the workspace. */
  cwd?: string;
}

/** A server over streamable HTTP. */
export interface HttpExtension extends ExtensionBase {
  type: "streamable_http";
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/** The source of an extension: the configuration, or an agent or recipe that declares it. */
export type ExtensionOrigin =
  | { kind: "configuration" }
  /** `path` is the absolute path of the agent's file; `null` for an agent given in code. */
  | { kind: "agent"; agent: string; path: string | null };

/**
 * An extension as the journal records it: enough to find its configuration again, without anything that may be a
 * secret.
 */
export interface StoredExtension {
  name: string;
  origin: ExtensionOrigin;
  /** A hash of the configuration without secret values. A different hash means that the configuration changed. */
  digest: string;
  type: ExtensionConfig["type"];
  /** The agent declares the extension, so its tools are not limited to those of the parent. */
  isOwn?: boolean;
  description?: string;
}
