import { isRecord } from "../../source/json.ts";
import type { OwnToolContext, SdkTool } from "../own-tool.ts";

/** A tool before it is checked. */
export interface UnreadTool {
  /** The fields of an `OwnTool`. */
  fields: Record<string, unknown>;
  /** Every mode asks about its calls. */
  needsApproval: boolean;
  /** Converts a result to the AI SDK's parts for a model. */
  toModelOutput?: (result: ModelOutputOptions) => unknown;
}

/** The argument that the AI SDK passes to `toModelOutput`. */
interface ModelOutputOptions {
  toolCallId: string;
  input: unknown;
  output: unknown;
}

/** Converts an AI SDK tool, which has no name of its own. */
export function fromSdkTool(name: string, tool: SdkTool): UnreadTool {
  const { inputSchema: input, execute, toModelOutput, needsApproval } = tool;
  return {
    fields: {
      name,
      description: describe(tool) ?? name,
      input,
      execute: isFunction(execute) ? callAs(execute.bind(tool)) : execute,
    },
    // A function would decide based on a conversation that Cadre does not have.
    needsApproval: needsApproval === true || isFunction(needsApproval),
    ...(isFunction(toModelOutput) && { toModelOutput: toModelOutput.bind(tool) }),
  };
}

/** Calls `execute` with the AI SDK's options, except the messages of the conversation. */
function callAs(execute: (...values: unknown[]) => unknown) {
  return (input: unknown, { stepKey, signal }: OwnToolContext): unknown =>
    execute(input, { toolCallId: stepKey, messages: [], abortSignal: signal, context: undefined });
}

function describe({ description }: SdkTool): string | undefined {
  const text: unknown = isFunction(description) ? description({ context: undefined }) : description;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

function isFunction(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === "function";
}

/** Reports whether a value is a tool of the AI SDK. */
export function isSdkTool(value: unknown): value is SdkTool {
  return isRecord(value) && "inputSchema" in value;
}
