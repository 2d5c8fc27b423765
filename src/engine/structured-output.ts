import type { ModelTool } from "../model/model.ts";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { compileSchema, type SchemaCheck } from "../source/json-schema.ts";
import type { ToolOutcome } from "../tool/tool.ts";
import type { CallPart } from "./call-tool.ts";
import { isArguments, wrappedKey, wrapSchema } from "./output-schema.ts";
import type { Conclusion } from "./session.ts";
import { RunFailed } from "./to-failure.ts";

/** The tool through which an agent with an output schema hands over its result. */
const finalOutputName = "final_output";

/** How often an agent may correct an output that does not fit. */
const maxCorrections = 2;

/** What an agent handed over, or what to tell it. */
export type Verdict = { value: JsonValue } | { correction: string };

/** The output of one conversation: what is handed over, and how often that did not fit. */
export interface StructuredOutput {
  /** What the model is offered besides its other tools. */
  tool: ModelTool;
  /**
   * Judges the calls of {@link finalOutputName} in one reply, of which the first that fits counts.
   *
   * @throws RunFailed `output-invalid` when there were corrections enough.
   */
  judgeCalls(calls: readonly CallPart[]): Verdict;
  /** Judges an answer without a call: it is taken when it is JSON that fits. Throws like `judgeCalls`. */
  judgeText(text: string): Verdict;
}

/** How an output is handed over: by a call of the tool, or, where there can be none, as the text of the answer. */
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

/** Prepares one conversation of `agent`, whose output has to fit `schema`. Throws RunFailed for a schema that is none. */
export function createStructuredOutput(
  schema: JsonObject,
  agent: string,
  handover: Handover = "call",
): StructuredOutput {
  const { expected, again } = wording[handover];
  const check = compileFor(agent, schema);
  const isWrapped = !isArguments(schema);
  let corrections = 0;

  function correct(problems: readonly string[], value: JsonValue): Verdict {
    if (corrections === maxCorrections) {
      const head = `Agent ${agent} gave no output that fits its schema, after ${maxCorrections} corrections:`;
      throw invalid(head, problems, value);
    }
    corrections += 1;
    return { correction: `The output was not accepted:${listOf(problems)}\n${again}` };
  }

  return {
    tool: describeTool(schema, isWrapped),
    judgeCalls(calls) {
      const read = calls.map((call) => readCall(call, isWrapped, check));
      const good = read.find(({ problems }) => problems.length === 0) ?? read.at(-1);
      if (good === undefined) return correct(["expected a call, got none"], null);
      return good.problems.length === 0
        ? { value: good.value }
        : correct(good.problems, good.value);
    },
    judgeText(text) {
      const value = readJson(text) ?? (handover === "text" ? readLastFence(text) : undefined);
      if (value === undefined) return correct([expected], text);
      const problems = check(value);
      if (problems.length === 0) return { value };
      return correct(handover === "call" ? [expected, ...problems] : problems, value);
    },
  };
}

/** Makes sure that what a program returned has an output that fits; throws RunFailed `output-invalid` when not. */
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

/** Whether a call of `tool` hands over the output. */
export function isFinalOutput(tool: string): boolean {
  return tool.toLowerCase() === finalOutputName;
}

/** What a call that handed over an output is answered. */
export function answerFinalOutput(verdict: Verdict | undefined): ToolOutcome {
  if (verdict !== undefined && "correction" in verdict)
    return { text: verdict.correction, isError: true };
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

/** The JSON that `text` is, in a fence or not; `undefined` when it is something else. */
function readJson(text: string): JsonValue | undefined {
  const fenced = /^```(?:json)?\n([^]*)\n```$/.exec(text.trim());
  try {
    return JSON.parse(fenced?.[1] ?? text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What stands in the last fence of `text`: words before it are a habit that costs a round to correct. */
function readLastFence(text: string): JsonValue | undefined {
  const fences = [...text.matchAll(/^```(?:json)?\n[^]*?\n```$/gm)];
  return readJson(fences.at(-1)?.[0] ?? "");
}

function describeTool(schema: JsonObject, isWrapped: boolean): ModelTool {
  const sentences = [
    "Hands over the result of your task and ends your work. Call it when everything else is done; its arguments are the result.",
    ...(isWrapped ? [`The result itself goes under the key \`${wrappedKey}\`.`] : []),
  ];
  return {
    name: finalOutputName,
    description: sentences.join(" "),
    inputSchema: isWrapped ? wrapSchema(schema) : schema,
  };
}
