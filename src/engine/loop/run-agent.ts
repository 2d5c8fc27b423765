// An agent's loop: turns, model requests, structured output, web search and the result cache.

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from "../../model/conversation.ts";
import type { ModelReply } from "../../model/model.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { replyText } from "./ask-once.ts";
import { awaitMessages } from "./await-messages.ts";
import { type CallPart, isCall, toAnswer, type Toolbox } from "../tool-call/call-tool.ts";
import { prepareTask } from "../prompt/compose-task.ts";
import { hookAfterModel, hookBeforeEnd, hookBeforeModel, toMessages } from "./loop-hooks.ts";
import { continueCut } from "../conversation/continue-cut.ts";
import { toInboxMessage } from "../conversation/inbox-message.ts";
import { completeTask } from "../tool-call/complete-task.ts";
import { executeCalls } from "../tool-call/execute-calls.ts";
import { prepareInstructions } from "../prompt/instructions.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import { isFinalOutput } from "../tool-call/final-output.ts";
import { answerFinalOutput, type StructuredOutput } from "./structured-output.ts";
import { loadTaskImages } from "../prompt/task-images.ts";
import { RunFailed } from "../run-failed.ts";
import { meetsCondition } from "./stop-condition.ts";
import { createTranscript, type Transcript } from "../conversation/transcript.ts";
import { modelKey } from "./model-key.ts";
import type { Turns } from "./turns.ts";

/** How often an answer that was cut at the output limit is continued. */
const maxContinuations = 3;

/** The parts of an agent's loop. */
export interface RunAgentParts {
  toolbox: Toolbox;
  turns: Turns;
  /** Present if its output has a schema. */
  output?: StructuredOutput;
  /** A message that follows the task. */
  context?: string;
  /** The conversation that the run continues. */
  history?: History;
}

/** The conversation of the earlier runs that a run continues. */
export interface History {
  /** Without the instructions. */
  messages: LanguageModelV4Prompt;
  /** The hash of each file that the runs read or wrote, as last seen. */
  files: ReadonlyMap<string, string>;
  /** The task of the first run. */
  firstTask: string;
}

/** The conversation so far: as a prompt for the model, and as a transcript. */
interface Conversation {
  prompt: LanguageModelV4Prompt;
  transcript: Transcript;
}

/**
 * Executes a run of a prompt agent: calls the model, executes the calls of its reply, and repeats, until a reply has no calls or
 * delivers the output. All its state is in the journal, so executing it again continues the run.
 *
 * @throws RunFailed when the agent cannot finish.
 */
export async function runAgent(run: RunContext, parts: RunAgentParts): Promise<Conclusion> {
  const { spec, conclusion } = run;
  const { turns } = parts;
  const conversation = await beginConversation(run, parts);
  const { prompt, transcript } = conversation;
  let continued = "";
  let continuations = 0;
  let isContinued = false;
  for (let turn = 1; turn <= spec.maxTurns; turn += 1) {
    prompt.push(...receiveMessages(run, modelKey(run, turn)));
    const asking = { turn, model: turns.model(), messages: prompt.length };
    prompt.push(...(await hookBeforeModel(run, asking)));
    const reply = await turns.ask(run, prompt, turn, continued);
    prompt.push(assistantMessage(reply));
    const added = await hookAfterModel(run, turn, reply.parts);
    const text = continued + replyText(reply);
    if (text !== continued) conclusion.text = text;
    const calls = reply.parts.filter(isCall);
    if (calls.length === 0 && reply.finish === "length" && continuations < maxContinuations) {
      continuations += 1;
      continued = text;
      prompt.push(continueCut());
      continue;
    }
    continued = "";
    transcript.addText(text);
    const result =
      calls.length > 0
        ? await answerCalls(run, parts, conversation, { calls, turn })
        : answerText(parts, conversation, concluded(reply, text));
    prompt.push(...added);
    const isStopped = result === undefined && meetsCondition(spec.stopWhen, { calls, turn });
    if (result === undefined && !isStopped) continue;
    const next = modelKey(run, turn + 1);
    const turnsLeft = isStopped ? 0 : spec.maxTurns - turn;
    if (await awaitMessages(run, next, turnsLeft)) continue;
    const more = turnsLeft > 0 ? await hookBeforeEnd(run, turn, { text, isContinued }) : [];
    if (more.length > 0) {
      isContinued = true;
      prompt.push(...more);
      continue;
    }
    const last = isStopped ? conclusion.text : text;
    return conclude(result ?? {}, spec.summary === false ? transcript.text() : last);
  }
  throw new RunFailed({
    code: "limit-exceeded",
    message: `Agent ${spec.agent} did not finish within its ${spec.maxTurns} turns. Give it a smaller task or a larger max_turns.`,
  });
}

/** An output replaces a missing text. */
function conclude(result: Result, text: string): Conclusion {
  const { output } = result;
  return { ...result, text: text === "" && output !== undefined ? JSON.stringify(output) : text };
}

async function beginConversation(
  run: RunContext,
  { toolbox, context, history }: RunAgentParts,
): Promise<Conversation> {
  const { spec, inbox, prefix } = run;
  const text = await prepareTask(run, () => completeTask(run, toolbox));
  const instructions = systemMessage(await prepareInstructions(run, history?.firstTask ?? text));
  const task = userMessage(text, await loadTaskImages(run));
  const received = inbox.receivedBefore(prefix).map(toInboxMessage);
  const earlier = history?.messages ?? [];
  const prompt = [instructions, ...earlier, task, ...toMessages(context), ...received];
  return { prompt, transcript: createTranscript(spec.id) };
}

/** The result of an agent, with or without an output. */
type Result = Pick<Conclusion, "output">;

/** Executes the calls of a reply, and takes the output if one of them delivers it. */
async function answerCalls(
  run: RunContext,
  { toolbox, output }: RunAgentParts,
  { prompt, transcript }: Conversation,
  { calls, turn }: { calls: readonly CallPart[]; turn: number },
): Promise<Result | undefined> {
  const isOutputCall = ({ tool }: CallPart): boolean => isFinalOutput(tool);
  const outputCalls = output === undefined ? [] : calls.filter(isOutputCall);
  const toolCalls = calls.filter((call) => !outputCalls.includes(call));
  const done = toolCalls.length > 0 ? await executeCalls(run, toolbox, toolCalls, turn) : [];
  for (const [index, { text }] of done.entries())
    transcript.addResult(toolCalls[index]?.tool ?? "", text);
  const checked = outputCalls.length > 0 ? output?.checkCalls(outputCalls) : undefined;
  const outcomeOf = (call: CallPart): ToolOutcome =>
    done[toolCalls.indexOf(call)] ?? answerFinalOutput(checked);
  prompt.push(toolMessage(calls.map((call) => toAnswer(call, outcomeOf(call)))));
  return checked !== undefined && "value" in checked ? { output: checked.value } : undefined;
}

/** Accepts an answer without calls, unless the output that it should have delivered is missing. */
function answerText(
  { output }: RunAgentParts,
  { prompt }: Conversation,
  text: string,
): Result | undefined {
  if (output === undefined) return {};
  const checked = output.checkText(text);
  if ("value" in checked) return { output: checked.value };
  prompt.push(userMessage(checked.correction));
  return undefined;
}

/** Returns the messages to the run since its last step. They belong to its conversation from `step` on. */
function receiveMessages(
  { inbox, steps, signal }: RunContext,
  step: string,
): LanguageModelV4Prompt {
  // A run that was stopped during its calls reads no more messages.
  signal.throwIfAborted();
  return inbox.deliver(step, steps.isRecorded(step)).map(toInboxMessage);
}

function concluded(reply: Pick<ModelReply, "finish">, text: string): string {
  if (reply.finish === "stop" || reply.finish === "tool-calls") return text;
  const why =
    reply.finish === "length"
      ? "its answer was cut at the output limit repeatedly"
      : "the provider's content filter stopped its answer";
  throw new RunFailed({ code: "model-error", message: `The model did not finish: ${why}.` });
}
