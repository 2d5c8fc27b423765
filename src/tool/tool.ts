// Tools: the calls of agents, and their limits: permissions, path confinement and the sandbox.

import type { JsonObject, JsonValue } from "../source/json.ts";
import type { RunSpec } from "../run/run.ts";
import { dirname } from "node:path";
import { z } from "zod";
import { explainIssue } from "../source/explain-issue.ts";

/**
 * Classifies what a tool can do to the world. It decides permission, call order, and what a resume may repeat. `none` touches
 * nothing; `read` reads the workspace; `edit` changes files in it; `execute` runs commands; `network` reaches other machines;
 * `delegate` starts runs, which keep their identity when a resume repeats the call.
 */
export type ToolAccess = "none" | "read" | "edit" | "execute" | "network" | "delegate";

/** A file that a call read or wrote, with the SHA-256 of its content at that moment. */
export interface TouchedFile {
  /** Absolute, symlinks resolved. */
  path: string;
  /** Hex; `null` when the file no longer exists. */
  hash: string | null;
  change: "read" | "written";
}

/** The result of a call. Plain JSON: it is recorded in the journal and sent to the model. */
export interface ToolOutcome {
  /** The text for the model. The tool caps it; a cut text says how to get the rest. */
  text: string;
  /** The call failed; `text` says why and what to do. */
  isError?: boolean;
  images?: readonly { mediaType: string; /** base64 */ data: string }[];
  /** The same result as data, for programs. */
  output?: JsonValue;
  files?: readonly TouchedFile[];
}

/** Describes a call before it runs. */
export interface ToolCallDescription {
  /** One line for trees and questions, such as `Read src/index.ts`. */
  title: string;
  /** The text that patterns of permission rules match, such as the command line or the path. */
  subject: string;
  /** The files or folders the call touches, absolute; `null` = unknown (a command). */
  paths: readonly string[] | null;
  /** Why every mode asks about the call unless an exact rule allows it; absent = the mode decides. */
  raisesRights?: string;
  /** How long the call may be silent before it counts as stalled, in milliseconds; absent = the run's limit. */
  quietMs?: number;
}

/** The run that makes a call, for tools that delegate. */
export interface Caller {
  spec: RunSpec;
  /** The names of the run's tools. */
  toolNames: readonly string[];
}

/** The environment of a running call. */
export interface ToolContext {
  caller: Caller;
  runId: string;
  /** Unique within the run and stable across a resume: `runId/stepKey` is an idempotency key. */
  stepKey: string;
  /** Absolute, symlinks resolved. Paths are confined to it. */
  workspace: string;
  /**
   * The run's folder for long outputs: beside the folders of its family, outside the workspace, created on demand. Tools that
   * read files can read the folders of the whole family.
   */
  outputFolder: string;
  /** The agent's memory, in the workspace or elsewhere; absent without one. See `AgentMemory`. */
  memory?: { folder: string } | undefined;
  /** Aborts when the run is cancelled or its time is up. The call must then end and leave no process behind. */
  signal: AbortSignal;
  /** The hash of each file that this run has read or written, as of the last call; keyed by absolute path. */
  seenFiles: ReadonlyMap<string, string>;
  /** Reports progress, which shows that the call is not stalled. */
  report: (progress: string) => void;
  /** Reports whether the run has readers, so that its output is worth showing. */
  isWatched: () => boolean;
  /** Sends a piece of the output to the run's readers. The result contains the whole output. */
  showOutput: (text: string) => void;
  /** Awaits `work` and releases the run's slot in the meantime. Use it to wait for child runs and for users, never for CPU work. */
  yieldWhile: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Searches the web with the provider of the run's model; absent when the provider has no search. */
  searchWeb?: ((query: string) => Promise<WebSearchAnswer>) | undefined;
  /** Awaits an answer from the user, like `yieldWhile`. The run's time limit is paused in the meantime. */
  awaitUser: <Value>(answer: Promise<Value>) => Promise<Value>;
}

/** The result of a web search. */
export interface WebSearchAnswer {
  text: string;
  sources: readonly { url: string; title?: string }[];
}

/** Returns the folder that holds the output folders of a run and of its family. */
export function familyFolder({ outputFolder }: Pick<ToolContext, "outputFolder">): string {
  return dirname(outputFolder);
}

/** A call with valid arguments, ready to execute. */
export interface PreparedCall extends ToolCallDescription {
  /** Executes the call. An exception becomes an error outcome. */
  execute(context: ToolContext): Promise<ToolOutcome>;
}

/** A tool the model can call. */
export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  inputSchema: JsonObject;
  access: ToolAccess;
  /**
   * Repeating an interrupted call could do harm, so a resume reports it as interrupted. Default: true for `edit` and `execute`,
   * false for others.
   */
  hasEffect?: boolean;
  /**
   * Its commands run in Cadre's own shell, which uses a read-only sandbox for runs that may only read. Another program, such as
   * an MCP server, cannot be restricted that way.
   */
  isShell?: boolean;
  /** Its outcome is the user's answer, so no other run may reuse it. */
  asksUser?: boolean;
  /** Its calls begin after the preceding calls of the same message have ended, because they depend on their effects. */
  comesAfter?: boolean;
  /** Validates the model's arguments. `problem` is a message the model can act on. */
  prepare(input: unknown, folders: { workspace: string }): PreparedCall | { problem: string };
}

/** Options of {@link createTool}, typed by the zod schema of the arguments. */
export interface CreateToolOptions<Schema extends z.ZodType> {
  name: string;
  description: string;
  input: Schema;
  access: ToolAccess;
  /** See `Tool.isShell`. Default false. */
  isShell?: boolean;
  /** See `Tool.comesAfter`. Default false. */
  comesAfter?: boolean;
  /** Describes a call. It must not touch the disk beyond resolving paths. */
  describe(input: z.output<Schema>, folders: { workspace: string }): ToolCallDescription;
  /**
   * Executes a call. Permission was given for `call` as described, so a tool changes only files among its paths.
   */
  execute(
    input: z.output<Schema>,
    context: ToolContext,
    call: ToolCallDescription,
  ): Promise<ToolOutcome>;
}

/** Creates a {@link Tool} that checks arguments against `input` and derives its JSON Schema from it. */
export function createTool<Schema extends z.ZodType>(definition: CreateToolOptions<Schema>): Tool {
  const { name, description, access, isShell, comesAfter = false, input: schema } = definition;
  return {
    name,
    description,
    access,
    ...(isShell === true && { isShell }),
    comesAfter,
    inputSchema: toInputSchema(schema),
    prepare(input, folders) {
      const checked = checkInput(name, schema, input);
      if ("problem" in checked) return checked;
      const { data } = checked;
      const call = definition.describe(data, folders);
      return { ...call, execute: (context) => definition.execute(data, context, call) };
    },
  };
}

const known = new WeakMap<z.core.$ZodType, JsonObject>();

/**
 * Returns the JSON Schema of the arguments that a zod schema accepts. Each schema is converted once, because every run with its
 * own tools creates them anew.
 *
 * @throws Error for a schema that JSON Schema cannot express, such as a date.
 */
export function toInputSchema(schema: z.core.$ZodType): JsonObject {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const {
    $schema: _,
    "~standard": __,
    ...inputSchema
  } = z.toJSONSchema(schema, {
    io: "input",
    // JSON keys are strings in any case, and OpenAI's provider warns about this keyword in every response.
    override: ({ jsonSchema }) => void delete jsonSchema.propertyNames,
  });
  known.set(schema, inputSchema as JsonObject);
  return inputSchema as JsonObject;
}

/** Parses arguments by a tool's schema, or returns the problem as a message for the model. */
export function checkInput<Schema extends z.ZodType>(
  tool: string,
  schema: Schema,
  input: unknown,
): { data: z.output<Schema> } | { problem: string } {
  const parsed = schema.safeParse(input, { error: explainIssue });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "arguments"}: ${message}`,
    );
    return { problem: describeInputProblems(tool, issues) };
  }
  // zod drops this key at every level, so its value would be lost silently.
  if (hasProtoKey(input)) {
    return {
      problem: describeInputProblems(tool, ['arguments: no key may be called "__proto__"']),
    };
  }
  return { data: parsed.data };
}

/** Reports whether a JSON value has a key `__proto__` at any level. */
export function hasProtoKey(input: unknown): boolean {
  return /[{,]"__proto__":/.test(JSON.stringify(input) ?? "");
}

/** The message for the model about invalid arguments; each problem names its place first. */
export function describeInputProblems(tool: string, problems: readonly string[]): string {
  return `The arguments of ${tool} are not valid:\n${problems.map((one) => `- ${one}`).join("\n")}`;
}
