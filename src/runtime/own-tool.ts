import type { ElicitAnswer } from "../extension/elicitation/elicitation.ts";
import type { Delegation } from "../run/delegation.ts";
import type { RunResult } from "../run/result.ts";
import type { JsonObject } from "../source/json.ts";
import type { ToolAccess } from "../tool/tool.ts";

/**
 * What a program's tool can do. It decides permission, the order of calls, and whether a resume repeats an interrupted call: only
 * calls of `none` (touches nothing) and `read` (only reads) are repeated. `edit` changes files, `execute` may do anything,
 * `network` reaches other machines.
 */
export type OwnToolAccess = Exclude<ToolAccess, "delegate">;

/** The part of the Standard Schema interface that Cadre uses. zod 4, Valibot, ArkType and others implement it. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, options?: never) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The functions of one call of a tool. */
export interface OwnToolContext {
  /** Aborts when the call has ended, its time is up, or its run is to end. */
  signal: AbortSignal;
  runId: string;
  /**
   * Unique among the calls of all runs, and the same when a resume repeats the call: an idempotency key. It ends with the key of
   * the call's step in the journal.
   */
  stepKey: string;
  /** The agent whose model made the call. */
  agent: string;
  /** The folder of the run, absolute. Cadre does not confine the tool to it. */
  workspace: string;
  /** Reports progress in one line, which is shown but not kept. */
  report(progress: string): void;
  /**
   * Asks the user through `onElicit`, at any depth of the run. The call's time limit is paused in the meantime. Without
   * `onElicit` the answer is `decline`; when `onElicit` throws, it is `cancel`. Not recorded: a call that a resume repeats asks
   * again.
   *
   * @param schema JSON Schema of the answer, an object of plain fields. Default: one text, `answer`.
   */
  ask(message: string, schema?: JsonObject): Promise<ElicitAnswer>;
  /**
   * Runs an agent as a child of the calling run and waits for its result, which is data even if the child failed. A repeated call
   * finds the runs that it started before, in their order. The call's time limit is paused in the meantime.
   *
   * @throws CadreError when no run could be created; see `Cadre.spawn`.
   */
  delegate(request: Omit<Delegation, "background">): Promise<RunResult>;
}

/** The fields of a tool except its input. */
export interface OwnToolFields {
  /** 1 to 64 letters, digits, `_` and `-`. Differs from the name of every other tool in more than case. */
  name: string;
  /** What the tool does and when to use it, for the model. */
  description: string;
  /** Default `execute`: every mode but `auto` asks or denies, and a resume does not repeat an interrupted call. */
  access?: OwnToolAccess;
  /** The time limit of a call, after which its outcome is an error. Default 300, at most a day. */
  timeoutSeconds?: number;
}

/** A tool whose input is described by a zod schema or another Standard Schema; see {@link defineTool}. */
export interface TypedTool<Schema extends StandardSchema> extends OwnToolFields {
  input: Schema;
  execute(input: OutputOf<Schema>, context: OwnToolContext): unknown;
}

/** A tool whose input is described by a JSON Schema of an object; see {@link defineTool}. */
export interface JsonTool<Input> extends OwnToolFields {
  /** Absent = no arguments. */
  input?: Readonly<Record<string, unknown>>;
  execute(input: Input, context: OwnToolContext): unknown;
}

/** The value of a schema after validation. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];

/** A program's tool, as {@link defineTool} returns it. */
export interface OwnTool extends OwnToolFields {
  input?: unknown;
  // A method, so that a tool with a typed input is assignable.
  execute(input: unknown, context: OwnToolContext): unknown;
}

/** A tool of the AI SDK, as its `tool()` returns it. */
export interface SdkTool {
  description?: unknown;
  inputSchema: unknown;
  execute?: unknown;
  toModelOutput?: unknown;
  needsApproval?: unknown;
}

/** Tools by name, such as a `ToolSet` of the AI SDK. */
export type OwnToolSet = Readonly<Record<string, SdkTool | OwnTool>>;

/** A program's tools: a set, or a list of tools and sets. */
export type OwnTools = OwnToolSet | readonly (OwnTool | OwnToolSet)[];

/**
 * Declares a tool and returns it unchanged, for its types: `execute` gets the output of the schema in `input`. With a JSON
 * Schema, the input is `unknown`, or the type argument: `defineTool<{ city: string }>({ … })`.
 *
 * `execute` returns text, JSON, or `{ text, images: [{ mediaType, data }] }` with `data` in base64 or bytes. For an asynchronous
 * generator, each yielded value is progress, and the result is the returned value, or else the last yielded one. A thrown value
 * becomes an error that the model reads.
 */
export function defineTool<Schema extends StandardSchema>(tool: TypedTool<Schema>): OwnTool;
export function defineTool<Input = unknown>(tool: JsonTool<Input>): OwnTool;
export function defineTool(tool: OwnTool): OwnTool {
  return tool;
}
