import type { ModelTool } from "../../model/model.ts";
import { isRecord, type JsonObject, type JsonValue, parseJson } from "../../source/json.ts";
import { compileSchema, type SchemaCheck } from "../../source/schema/json-schema.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import type { CallPart } from "../tool-call/call-tool.ts";
import { finalOutputName } from "../tool-call/final-output.ts";
import { isArguments, wrappedKey, wrapSchema } from "./output-schema.ts";
import type { Conclusion } from "../run-context/run-context.ts";
import { RunFailed } from "../run-failed.ts";

/** How often an agent may correct an invalid output. */
const maxCorrections = 2;

/** A valid output, or the correction to send. */
export type OutputCheck = { value: JsonValue } | { correction: string };

/** Collects the structured output of one conversation. */
export interface StructuredOutput {
  /** The tool that the model is offered in addition to its others. */
  tool: ModelTool;
  /**
   * Validates the calls of {@link finalOutputName} in one reply. The first valid one counts.
   *
   * @throws RunFailed `output-invalid` when no correction is left.
   */
  checkCalls(calls: readonly CallPart[]): OutputCheck;
  /** Validates an answer without a call, which may be JSON. Throws like `checkCalls`. */
  checkText(text: string): OutputCheck;
}

/** How an output is delivered: by a call of the tool, or as the text of the answer if no call is possible. */
type Handover = "call" | "text";

const wording: Readonly<Record<Handover, { expected: string; again: string }>> = {
  call: {
    expected: `expected a call of the tool ${finalOutputName}, got text`,
    again: `Call ${finalOutputName} with the whole, corrected output.`,
  },
  text: {
    expected: "expected JSON and nothing else, got other text",
    again: "Answer with the whole, corrected JSON and nothing else.",
  },
};

/** Prepares one conversation of `agent` whose output must match `schema`. @throws RunFailed for an invalid schema. */
export function createStructuredOutput(
  schema: JsonObject,
  agent: string,
  handover: Handover = "call",
): StructuredOutput {
  const { expected, again } = wording[handover];
  const check = compileFor(agent, schema);
  const isWrapped = !isArguments(schema);
  let corrections = 0;

  function correct(problems: readonly string[], value: JsonValue): OutputCheck {
    if (corrections === maxCorrections) {
      const head = `Agent ${agent} returned no output that fits its schema, after ${maxCorrections} corrections:`;
      throw invalid(head, problems, value);
    }
    corrections += 1;
    return { correction: `The output was not accepted:${listOf(problems)}\n${again}` };
  }

  return {
    tool: describeTool(schema, isWrapped),
    checkCalls(calls) {
      const read = calls.map((call) => readCall(call, isWrapped, check));
      const good = read.find(({ problems }) => problems.length === 0) ?? read.at(-1);
      if (good === undefined) return correct(["expected a call, got none"], null);
      return good.problems.length === 0
        ? { value: good.value }
        : correct(good.problems, good.value);
    },
    checkText(text) {
      const value = readJson(text) ?? (handover === "text" ? readLastFence(text) : undefined);
      if (value === undefined) return correct([expected], text);
      const problems = check(value);
      if (problems.length === 0) return { value };
      return correct(handover === "call" ? [expected, ...problems] : problems, value);
    },
  };
}

/** Requires a program's output to match its schema. @throws RunFailed `output-invalid`. */
export function requireOutput({ output }: Conclusion, schema: JsonObject, agent: string): void {
  const check = compileFor(agent, schema);
  const problems = output === undefined ? ["expected { output }, got no output"] : check(output);
  if (problems.length === 0) return;
  throw invalid(
    `Agent ${agent} returned no output that fits its schema:`,
    problems,
    output ?? null,
  );
}

/** Returns the result of a call that delivered an output. */
export function answerFinalOutput(checked: OutputCheck | undefined): ToolOutcome {
  if (checked !== undefined && "correction" in checked)
    return { text: checked.correction, isError: true };
  return { text: "The output was accepted." };
}

function compileFor(agent: string, schema: JsonObject): SchemaCheck {
  const compiled = compileSchema(schema);
  if (!("problem" in compiled)) return compiled.check;
  const message = `The output schema of agent ${agent} cannot be used. ${compiled.problem}`;
  throw new RunFailed({ code: "definition-invalid", message });
}

function invalid(head: string, problems: readonly string[], value: JsonValue): RunFailed {
  const details = { errors: [...problems], value };
  return new RunFailed({
    code: "output-invalid",
    message: `${head}${listOf(problems)}`,
    details,
  });
}

function listOf(problems: readonly string[]): string {
  return problems.map((problem) => `\n- ${problem}`).join("");
}

interface Reading {
  value: JsonValue;
  problems: readonly string[];
}

function readCall(call: CallPart, isWrapped: boolean, check: SchemaCheck): Reading {
  if (call.type === "malformed-tool-call") {
    const problems = ["expected arguments that are JSON; they are not, or were cut off"];
    return { value: call.text, problems };
  }
  const { input } = call;
  if (!isWrapped) return { value: input, problems: check(input) };
  const value = isRecord(input) ? input[wrappedKey] : undefined;
  if (value !== undefined) return { value, problems: check(value) };
  return {
    value: input,
    problems: [`expected the output under the key ${wrappedKey}, got nothing there`],
  };
}

/** Parses `text` as JSON, with or without a code fence; `undefined` for anything else. */
function readJson(text: string): JsonValue | undefined {
  const fenced = /^```(?:json)?\n([^]*)\n```$/.exec(text.trim());
  return parseJson(fenced?.[1] ?? text);
}

/** Parses the last code fence of `text`, because models often write a sentence before it and a correction would cost a round. */
function readLastFence(text: string): JsonValue | undefined {
  const fences = [...text.matchAll(/^```(?:json)?\n[^]*?\n```$/gm)];
  return readJson(fences.at(-1)?.[0] ?? "");
}

function describeTool(schema: JsonObject, isWrapped: boolean): ModelTool {
  const sentences = [
    "Returns the result of your task and ends your work. Call it when everything else is done; its arguments are the result.",
    ...(isWrapped ? [`The result itself goes under the key \`${wrappedKey}\`.`] : []),
  ];
  return {
    name: finalOutputName,
    description: sentences.join(" "),
    inputSchema: isWrapped ? wrapSchema(schema) : schema,
  };
}
