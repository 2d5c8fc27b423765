import type { JsonObject, JsonValue } from "../source/json.ts";
import type { RunSpec } from "../run/run.ts";
import { dirname } from "node:path";
import { z } from "zod";

/**
 * What a tool can do to the world: decides permission, order and what a resume may repeat.
 * `none` touches nothing; `read` reads the workspace; `edit` changes files in it; `execute` runs commands;
 * `network` reaches other machines; `delegate` starts runs, which keep their identity when it is repeated.
 */
export type ToolAccess = "none" | "read" | "edit" | "execute" | "network" | "delegate";

/** A file that a call read or wrote, with the SHA-256 of its content at that moment. */
export interface TouchedFile {
  /** Absolute, symlinks resolved. */
  path: string;
  /** Hex; `null` when it does not exist any more. */
  hash: string | null;
  change: "read" | "written";
}

/** What a call came to. Plain JSON: it is recorded in the journal and given to the model. */
export interface ToolOutcome {
  /** What the model reads. Capped by the tool; a cut text says how to get the rest. */
  text: string;
  /** The call failed; `text` says why and what to do. */
  isError?: boolean;
  images?: readonly { mediaType: string; /** base64 */ data: string }[];
  /** The same as data, for programs. */
  output?: JsonValue;
  files?: readonly TouchedFile[];
}

/** What a call is about, known before it runs. */
export interface ToolCallDescription {
  /** One line for trees and questions, such as `Read src/index.ts`. */
  title: string;
  /** What the pattern of a permission rule is matched against, such as the command line or the path. */
  subject: string;
  /** The files or folders it touches, absolute; `null` = cannot be known (a command). */
  paths: readonly string[] | null;
  /** How long it may show no sign of life and still be well, in milliseconds; absent = the usual. */
  quietMs?: number;
}

/** The run that calls: what tools that delegate need to know. */
export interface Caller {
  spec: RunSpec;
  /** The names of the tools it has. */
  toolNames: readonly string[];
}

/** What a running call may use. */
export interface ToolContext {
  caller: Caller;
  runId: string;
  /** Unique within the run and stable across a resume: `runId/stepKey` is an idempotency key. */
  stepKey: string;
  /** Absolute, symlinks resolved; paths are confined to it. */
  workspace: string;
  /**
   * A folder of this run's own for long outputs, beside those of its family and outside the workspace; created on demand. Tools
   * that read files can read those of the whole family.
   */
  outputFolder: string;
  /** Aborted when the run is cancelled or its time is up. The call must then end and leave no process behind. */
  signal: AbortSignal;
  /** The hash of each file this run has read or written, as last seen; keyed by absolute path. */
  seenFiles: ReadonlyMap<string, string>;
  /** Says what it is doing; counts as a sign of life. */
  report: (progress: string) => void;
  /** Waits for `work` with the run's slot given back meanwhile: for children and for people, never for the CPU. */
  yieldWhile: <Value>(work: Promise<Value>) => Promise<Value>;
}

/** The folder that holds the output folders of a run and of its family. */
export function familyFolder({ outputFolder }: Pick<ToolContext, "outputFolder">): string {
  return dirname(outputFolder);
}

/** A call whose arguments are valid: what it is about, and the doing of it. */
export interface PreparedCall extends ToolCallDescription {
  /** What it throws becomes an error outcome. */
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
   * Its commands run in Cadre's own shell, which puts them into a read-only sandbox where the run may only read. What another
   * program runs, such as an MCP server, cannot be held to that.
   */
  isShell?: boolean;
  /** Its calls begin when the calls before them in a message have ended: they are about what those did. */
  comesAfter?: boolean;
  /** Checks arguments as the model gave them; `problem` is a message the model can act on. */
  prepare(input: unknown, place: { workspace: string }): PreparedCall | { problem: string };
}

/** A tool as it is written, typed by its zod schema. */
export interface ToolDefinition<Schema extends z.ZodType> {
  name: string;
  description: string;
  input: Schema;
  access: ToolAccess;
  /** See `Tool.isShell`. Default false. */
  isShell?: boolean;
  /** See `Tool.comesAfter`. Default false. */
  comesAfter?: boolean;
  /** Must not touch the disk beyond resolving paths. */
  describe(input: z.output<Schema>, place: { workspace: string }): ToolCallDescription;
  /** `call` is what was described, and so what permission was given for: a tool that changes files keeps to its paths. */
  execute(
    input: z.output<Schema>,
    context: ToolContext,
    call: ToolCallDescription,
  ): Promise<ToolOutcome>;
}

/** Makes a {@link Tool}: arguments are checked against `input`, and its JSON Schema is derived from it. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, access, isShell, comesAfter = false, input: schema } = definition;
  const {
    $schema: _,
    "~standard": __,
    ...inputSchema
  } = z.toJSONSchema(schema, {
    io: "input",
    // Keys of JSON are texts anyway, and OpenAI's provider warns of the keyword in every reply.
    override: ({ jsonSchema }) => void delete jsonSchema.propertyNames,
  });
  return {
    name,
    description,
    access,
    ...(isShell === true && { isShell }),
    comesAfter,
    inputSchema: inputSchema as JsonObject,
    prepare(input, place) {
      const checked = checkInput(name, schema, input);
      if ("problem" in checked) return checked;
      const { data } = checked;
      const call = definition.describe(data, place);
      return { ...call, execute: (context) => definition.execute(data, context, call) };
    },
  };
}

/** Arguments as a tool takes them, or what is wrong with them, as the model is told. */
export function checkInput<Schema extends z.ZodType>(
  tool: string,
  schema: Schema,
  input: unknown,
): { data: z.output<Schema> } | { problem: string } {
  const parsed = schema.safeParse(input);
  if (!parsed.success) return { problem: describeInputProblem(tool, parsed.error) };
  // Schemas drop this one key wherever it is: what it holds would be lost without a word.
  if (/[{,]"__proto__":/.test(JSON.stringify(input) ?? "")) {
    const problem = `The arguments of ${tool} are not valid:\n- arguments: no key may be called "__proto__"`;
    return { problem };
  }
  return { data: parsed.data };
}

function describeInputProblem(tool: string, error: z.ZodError): string {
  const issues = error.issues.map(
    (issue) => `- ${issue.path.join(".") || "arguments"}: ${issue.message}`,
  );
  return `The arguments of ${tool} are not valid:\n${issues.join("\n")}`;
}
