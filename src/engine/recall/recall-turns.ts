import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { assistantMessage, toolMessage, userMessage } from "../../model/conversation.ts";
import { answerOf } from "../../run/answer.ts";
import { isRecord } from "../../source/json.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { continueCut } from "../conversation/continue-cut.ts";
import { repeatChanges } from "../conversation/prompt-changes.ts";
import { toInboxMessage } from "../conversation/inbox-message.ts";
import { replyText } from "../loop/ask-once.ts";
import { isFinalOutput } from "../tool-call/final-output.ts";
import { toMessages } from "../loop/loop-hooks.ts";
import { modelKey } from "../loop/model-key.ts";
import {
  answerFinalOutput,
  createStructuredOutput,
  type StructuredOutput,
} from "../loop/structured-output.ts";
import type { RecordedReply } from "../loop/turns.ts";
import { RunFailed } from "../run-failed.ts";
import { type CallPart, isCall, noteFiles, toAnswer } from "../tool-call/call-tool.ts";
import { interruptedOutcome } from "../tool-call/tool-step.ts";
import type { RunRecord } from "./recorded-run.ts";

/**
 * Appends to `prompt` what followed the task of an ended run: messages, replies, outcomes of calls, and the run's end if it did
 * not succeed. Each call has an outcome; the outcome of an unexecuted call says so. Adds the files that the calls read and wrote
 * to `files`.
 */
export function recallTurns(
  record: RunRecord,
  prompt: LanguageModelV4Prompt,
  files: Map<string, string>,
): void {
  const { inbox, prefix, values } = record;
  prompt.push(...hooked(record, `${prefix}start`, "beforeRun"));
  prompt.push(...inbox.receivedBefore(prefix).map(toInboxMessage));
  const output = readOutput(record);
  let last: RecordedReply | undefined;
  for (let turn = 1; ; turn += 1) {
    const key = modelKey(record, turn);
    const reply = values.get(key) as unknown as RecordedReply | undefined;
    const delivered = inbox.deliver(key, true);
    const shown = reply === undefined ? record.withoutRepeated(delivered) : delivered;
    prompt.push(...shown.map(toInboxMessage));
    prompt.push(...hooked(record, key, "beforeModel"));
    repeatChanges(prompt, record.changes.get(key));
    if (reply === undefined) break;
    last = reply;
    prompt.push(assistantMessage(reply));
    const calls = reply.parts.filter(isCall);
    if (calls.length > 0) prompt.push(recallCalls(record, { calls, turn, output, files }));
    else if (values.has(modelKey(record, turn + 1))) prompt.push(...followUp(reply, output));
    prompt.push(...hooked(record, key, "afterModel"), ...hooked(record, key, "beforeEnd"));
  }
  const late = record.withoutRepeated(inbox.undelivered());
  prompt.push(...late.map(toInboxMessage), ...recallEnd(record, last));
}

/** Returns the message that hooks added at a point. */
function hooked({ values }: RunRecord, key: string, point: string): LanguageModelV4Prompt {
  const decided = values.get(`${key}/hook/${point}`);
  const text = isRecord(decided) ? decided[point === "beforeEnd" ? "continue" : "context"] : null;
  return toMessages(typeof text === "string" ? text : undefined);
}

interface Calls {
  calls: readonly CallPart[];
  turn: number;
  output: StructuredOutput | undefined;
  files: Map<string, string>;
}

function recallCalls(
  { values, begun, prefix }: RunRecord,
  { calls, turn, output, files }: Calls,
): LanguageModelV4Prompt[number] {
  const outputCalls = output === undefined ? [] : calls.filter(({ tool }) => isFinalOutput(tool));
  const toolCalls = calls.filter((call) => !outputCalls.includes(call));
  const outcomes = toolCalls.map((_, index): ToolOutcome => {
    const key = `${prefix}tool/${turn}/${index}`;
    const title = begun.get(key);
    const open = title === undefined ? notExecuted : interruptedOutcome(title);
    return (values.get(key) as unknown as ToolOutcome | undefined) ?? open;
  });
  for (const outcome of outcomes) noteFiles(files, outcome);
  const accepted = outputCalls.length > 0 ? checkHanded(output, outputCalls) : notExecuted;
  return toolMessage(
    calls.map((call) => toAnswer(call, outcomes[toolCalls.indexOf(call)] ?? accepted)),
  );
}

const notExecuted: ToolOutcome = {
  text: "This call was not executed: the turn ended before it.",
  isError: true,
};

function readOutput({ spec }: RunRecord): StructuredOutput | undefined {
  if (spec.outputSchema === undefined) return undefined;
  return orFailure(() => createStructuredOutput(spec.outputSchema ?? {}, spec.agent));
}

function checkHanded(
  output: StructuredOutput | undefined,
  outputCalls: readonly CallPart[],
): ToolOutcome {
  const checked = orFailure(() => output?.checkCalls(outputCalls));
  return checked === undefined
    ? { text: "The output was not accepted.", isError: true }
    : answerFinalOutput(checked);
}

/** Returns the message that followed a reply without calls that did not end the run. */
function followUp(
  reply: RecordedReply,
  output: StructuredOutput | undefined,
): LanguageModelV4Prompt {
  if (reply.finish === "length") return [continueCut()];
  const checked = orFailure(() => output?.checkText(replyText(reply)));
  return checked !== undefined && "correction" in checked ? [userMessage(checked.correction)] : [];
}

/** Returns `undefined` when `work` throws `RunFailed`. */
function orFailure<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RunFailed) return undefined;
    throw error;
  }
}

/** Returns the text that no step has (a stopped reply or a cached result), and why the run did not succeed. */
function recallEnd({ result }: RunRecord, last: RecordedReply | undefined): LanguageModelV4Prompt {
  const { status, failure } = result;
  const recorded = last === undefined ? "" : replyText(last);
  if (failure === undefined) return last === undefined ? assistantText(answerOf(result)) : [];
  const { text } = result;
  const rest = text.startsWith(recorded) ? text.slice(recorded.length) : text;
  const end = `[The turn ended here: ${status}, ${failure.code}: ${failure.message}]`;
  return [...assistantText(rest), userMessage(end)];
}

function assistantText(text: string): LanguageModelV4Prompt {
  return text.trim() === "" ? [] : [assistantMessage({ parts: [{ type: "text", text }] })];
}
