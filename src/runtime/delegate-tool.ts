import type { z } from "zod";
import type { ResultSchema } from "../delegate/tool-results.ts";
import { CadreError } from "../errors.ts";
import { isRecord, type JsonObject } from "../source/json.ts";
import { checkInput, type ToolOutcome } from "../tool/tool.ts";

/** What a call of a tool came to, for a program. */
export interface DelegateOutcome {
  /** What a model should read. */
  text: string;
  /** What was asked for failed; `text` says why. */
  isError: boolean;
  /** The same as data, as the tool's `resultSchema` says; absent when there is nothing to say but `text`. */
  data?: JsonObject;
}

/** How a call is made. */
export interface DelegateCallOptions {
  /** Aborting it ends the run that the call waits for; other waiting just ends. */
  signal?: AbortSignal | undefined;
  /** Aborted when the caller waits no longer without ending the run, which is one in the background from then on. */
  left?: AbortSignal | undefined;
  /** Told of each run that the call started or waits for. Must not throw. */
  onRun?: ((runId: string) => void) | undefined;
}

/** A delegate tool: `execute` is what the AI SDK calls, `call` is for programs that want more than text. */
export interface DelegateTool<Input> {
  title: string;
  description: string;
  inputSchema: z.ZodType<Input>;
  /** What {@link DelegateOutcome.data} is. */
  resultSchema: ResultSchema;
  /** It changes nothing. */
  isReadOnly: boolean;
  /** Ends what it waits for when `abortSignal` is aborted. */
  execute(input: Input, options?: { abortSignal?: AbortSignal | undefined }): Promise<string>;
  /**
   * The same, with anything as its arguments.
   *
   * @throws CadreError `invalid-argument` for arguments that are wrong, and what starting the run throws.
   */
  call(input: unknown, options?: DelegateCallOptions): Promise<DelegateOutcome>;
}

/** A call under way. */
export interface DelegateCall {
  signal: AbortSignal;
  left: AbortSignal;
  onRun: (runId: string) => void;
}

/** A delegate tool as it is written. */
export interface DelegateToolDefinition<Input> extends Pick<
  DelegateTool<Input>,
  "title" | "description" | "inputSchema" | "resultSchema"
> {
  isReadOnly?: boolean;
  call: (input: Input, call: DelegateCall) => Promise<ToolOutcome>;
}

/** Makes a {@link DelegateTool}. */
export function createDelegateTool<Input>(
  definition: DelegateToolDefinition<Input>,
): DelegateTool<Input> {
  const { title, description, inputSchema, resultSchema, isReadOnly = false } = definition;

  async function call(
    input: unknown,
    { signal = never(), left = never(), onRun = () => undefined }: DelegateCallOptions = {},
  ): Promise<DelegateOutcome> {
    signal.throwIfAborted();
    const checked = checkInput(title, inputSchema, input);
    if ("problem" in checked) throw new CadreError("invalid-argument", checked.problem);
    return toOutcome(await definition.call(checked.data, { signal, left, onRun }));
  }

  return {
    title,
    description,
    inputSchema,
    resultSchema,
    isReadOnly,
    execute: async (input, { abortSignal } = {}) =>
      (await call(input, { signal: abortSignal })).text,
    call,
  };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

/** Programs that look at the data alone find the words there too. */
function toOutcome({ text, isError = false, output }: ToolOutcome): DelegateOutcome {
  return isRecord(output) ? { text, isError, data: { text, ...output } } : { text, isError };
}
