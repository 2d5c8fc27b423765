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
}

/** A server that is a process of its own, spoken to over its standard streams. */
export interface StdioExtension extends ExtensionBase {
  type: "stdio";
  command: string;
  args: readonly string[];
  /** Values written in the file; they are kept out of the journal. */
  environment?: Readonly<Record<string, string>>;
  /** Absolute; absent = the workspace. */
  cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface HttpExtension extends ExtensionBase {
  type: "streamable_http";
  url: string;
  /** Kept out of the journal. */
  headers?: Readonly<Record<string, string>>;
}

/** An extension as a run keeps it: its configuration may hold secrets and stays out of the journal. */
export interface StoredExtension {
  name: string;
  /** Under which its configuration is kept. */
  hash: string;
  type: ExtensionConfig["type"];
  /** The agent brings it along: its tools are no matter of what the parent has. */
  isOwn?: boolean;
  description?: string;
}
