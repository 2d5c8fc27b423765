import type { z } from "zod";
import type { ResultSchema } from "../../delegate/tools/tool-results.ts";
import { CadreError } from "../../errors.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { checkInput, type ToolOutcome } from "../../tool/tool.ts";

/** The outcome of a tool call, for programs. */
export interface DelegateOutcome {
  /** Text for a model. */
  text: string;
  /** Whether the request failed; `text` says why. */
  isError: boolean;
  /** The same as data, in the form of the tool's `resultSchema`; absent when `text` contains everything. */
  data?: JsonObject;
}

/** Options of a call. */
export interface DelegateCallOptions {
  /** Aborting it cancels the run that the call waits for; other waits just end. */
  signal?: AbortSignal | undefined;
  /** Aborts when the caller stops waiting without cancelling the run, which continues in the background. */
  left?: AbortSignal | undefined;
  /** Called for each run that the call starts or waits for. Must not throw. */
  onRun?: ((runId: string) => void) | undefined;
}

/** A delegate tool. The AI SDK calls `execute`; programs use `call` for more than text. */
export interface DelegateTool<Input> {
  title: string;
  description: string;
  inputSchema: z.ZodType<Input>;
  /** The schema of {@link DelegateOutcome.data}. */
  resultSchema: ResultSchema;
  /** Whether the tool changes nothing. */
  isReadOnly: boolean;
  /** Cancels the run it waits for when `abortSignal` is aborted. */
  execute(input: Input, options?: { abortSignal?: AbortSignal | undefined }): Promise<string>;
  /**
   * The same, with unchecked arguments.
   *
   * @throws CadreError `invalid-argument` for wrong arguments, and the errors of starting the run.
   */
  call(input: unknown, options?: DelegateCallOptions): Promise<DelegateOutcome>;
}

/** A call in progress. */
export interface DelegateCall {
  signal: AbortSignal;
  left: AbortSignal;
  onRun: (runId: string) => void;
}

/** The definition of a delegate tool. */
export interface DelegateToolDefinition<Input> extends Pick<
  DelegateTool<Input>,
  "title" | "description" | "inputSchema" | "resultSchema"
> {
  isReadOnly?: boolean;
  call: (input: Input, call: DelegateCall) => Promise<ToolOutcome>;
}

/** Creates a {@link DelegateTool}. */
export function createDelegateTool<Input>(
  definition: DelegateToolDefinition<Input>,
): DelegateTool<Input> {
  const { title, description, inputSchema, resultSchema, isReadOnly = false } = definition;

  async function call(
    input: unknown,
    { signal = never(), left = never(), onRun = () => undefined }: DelegateCallOptions = {},
  ): Promise<DelegateOutcome> {
    signal.throwIfAborted();
    const checked = checkInput(`the tool "${title}"`, inputSchema, input);
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

/** Programs that read only the data find the text in it, too. */
function toOutcome({ text, isError = false, output }: ToolOutcome): DelegateOutcome {
  return isRecord(output) ? { text, isError, data: { text, ...output } } : { text, isError };
}
