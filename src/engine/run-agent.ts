import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import {
  assistantMessage,
  systemMessage,
  type ToolAnswer,
  toolMessage,
  userMessage,
} from "../model/conversation.ts";
import type { ModelReply } from "../model/model.ts";
import type { ToolOutcome } from "../tool/tool.ts";
import { textOf } from "./ask-once.ts";
import { awaitMessages } from "./await-messages.ts";
import type { CallPart, Toolbox } from "./call-tool.ts";
import { prepareTask } from "./compose-task.ts";
import { toInboxMessage } from "./context/inbox-message.ts";
import { executeCalls } from "./execute-calls.ts";
import { prepareInstructions } from "./instructions.ts";
import type { Conclusion, Session } from "./session.ts";
import { answerFinalOutput, isFinalOutput, type StructuredOutput } from "./structured-output.ts";
import { loadTaskImages } from "./task-images.ts";
import { RunFailed } from "./to-failure.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { modelKey, type Turns } from "./turns.ts";

/** How often an answer that was cut at the output limit is taken up again. */
const maxContinuations = 3;

/** What an agent works with. */
export interface Equipment {
  toolbox: Toolbox;
  turns: Turns;
  /** Where its output has a schema. */
  output?: StructuredOutput;
}

/** What was said so far: to the model, and for whoever wants all of it. */
interface Conversation {
  prompt: LanguageModelV4Prompt;
  transcript: Transcript;
}

/**
 * Conducts a run of an agent that is a prompt: asks the model, executes the calls it answers with, and asks again, until
 * it answers without one, or hands over its output. It holds no state that the journal does not, so executing it again
 * continues the run.
 *
 * @throws RunFailed when the agent cannot come to an answer.
 */
export async function runAgent(session: Session, equipment: Equipment): Promise<Conclusion> {
  const { spec, said } = session;
  const conversation = await beginConversation(session);
  const { prompt, transcript } = conversation;
  let continued = "";
  let continuations = 0;
  for (let turn = 1; turn <= spec.maxTurns; turn += 1) {
    prompt.push(...receiveMessages(session, modelKey(session, turn)));
    const reply = await equipment.turns.ask(session, prompt, turn, continued);
    prompt.push(assistantMessage(reply));
    const text = continued + textOf(reply);
    if (text !== continued) said.text = text;
    const calls = reply.parts.filter(isCall);
    if (calls.length === 0 && reply.finish === "length" && continuations < maxContinuations) {
      continuations += 1;
      continued = text;
      prompt.push(userMessage("Your answer was cut off. Continue exactly where it stopped."));
      continue;
    }
    continued = "";
    transcript.say(text);
    const result =
      calls.length > 0
        ? await answerCalls(session, equipment, conversation, { calls, turn })
        : answerText(equipment, conversation, concluded(reply, text));
    if (result === undefined) continue;
    const next = modelKey(session, turn + 1);
    if (await awaitMessages(session, next, spec.maxTurns - turn)) continue;
    return conclude(result, spec.summary === false ? transcript.text() : text);
  }
  throw new RunFailed({
    code: "limit-exceeded",
    message: `Agent ${spec.agent} did not come to an answer within its ${spec.maxTurns} turns. Give it a smaller task or a larger max_turns.`,
  });
}

/** An output stands for words where there are none. */
function conclude(result: Result, text: string): Conclusion {
  const { output } = result;
  return { ...result, text: text === "" && output !== undefined ? JSON.stringify(output) : text };
}

async function beginConversation(session: Session): Promise<Conversation> {
  const { spec, inbox, prefix } = session;
  const text = await prepareTask(session);
  const instructions = systemMessage(await prepareInstructions(session, text));
  const task = userMessage(text, await loadTaskImages(session));
  const said = inbox.saidBefore(prefix).map(toInboxMessage);
  return { prompt: [instructions, task, ...said], transcript: createTranscript(spec.id) };
}

/** What an agent came to: with an output, or without. */
type Result = Pick<Conclusion, "output">;

/** Executes the calls of a reply, and takes the output that one of them may hand over. */
async function answerCalls(
  session: Session,
  { toolbox, output }: Equipment,
  { prompt, transcript }: Conversation,
  { calls, turn }: { calls: readonly CallPart[]; turn: number },
): Promise<Result | undefined> {
  const isHandingOver = ({ tool }: CallPart): boolean => isFinalOutput(tool);
  const handed = output === undefined ? [] : calls.filter(isHandingOver);
  const others = calls.filter((call) => !handed.includes(call));
  const done = others.length > 0 ? await executeCalls(session, toolbox, others, turn) : [];
  for (const [index, { text }] of done.entries()) transcript.give(others[index]?.tool ?? "", text);
  const verdict = handed.length > 0 ? output?.judgeCalls(handed) : undefined;
  const outcomeOf = (call: CallPart): ToolOutcome =>
    done[others.indexOf(call)] ?? answerFinalOutput(verdict);
  prompt.push(toolMessage(calls.map((call) => answer(call, outcomeOf(call)))));
  return verdict !== undefined && "value" in verdict ? { output: verdict.value } : undefined;
}

/** Takes an answer without calls, unless the output it should have handed over is missing. */
function answerText(
  { output }: Equipment,
  { prompt }: Conversation,
  text: string,
): Result | undefined {
  if (output === undefined) return {};
  const verdict = output.judgeText(text);
  if ("value" in verdict) return { output: verdict.value };
  prompt.push(userMessage(verdict.correction));
  return undefined;
}

/** What others said to the run since its last step, as part of its conversation from `step` on. */
function receiveMessages({ inbox, steps }: Session, step: string): LanguageModelV4Prompt {
  return inbox.deliver(step, steps.isRecorded(step)).map(toInboxMessage);
}

function concluded(reply: Pick<ModelReply, "finish">, text: string): string {
  if (reply.finish === "stop" || reply.finish === "tool-calls") return text;
  const why =
    reply.finish === "length"
      ? "its answer was cut at the output limit again and again"
      : "the provider's content filter stopped its answer";
  throw new RunFailed({ code: "model-error", message: `The model did not finish: ${why}.` });
}

function isCall(part: ModelReply["parts"][number]): part is CallPart {
  return part.type === "tool-call" || part.type === "malformed-tool-call";
}

function answer(
  { id, tool }: CallPart,
  { text, isError = false, images = [] }: ToolOutcome,
): ToolAnswer {
  return { id, tool, text, isError, images };
}
