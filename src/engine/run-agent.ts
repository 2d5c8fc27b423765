import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { hasTaskPlaceholder, injectTask } from "../agent/inject-task.ts";
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from "../model/conversation.ts";
import type { ModelReply } from "../model/model.ts";
import type { CallPart, Toolbox } from "./call-tool.ts";
import { awaitMessages } from "./await-messages.ts";
import { describeEnvironment } from "./environment.ts";
import { executeCalls } from "./execute-calls.ts";
import type { Conclusion, Session } from "./session.ts";
import { RunFailed } from "./to-failure.ts";
import type { Turns } from "./turns.ts";

/** How often an answer that was cut at the output limit is taken up again. */
const maxContinuations = 3;

/**
 * Conducts a run of an agent that is a prompt: asks the model, executes the calls it answers with, and asks again, until
 * it answers without one. It holds no state that the journal does not, so executing it again continues the run.
 *
 * @throws RunFailed when the agent cannot come to an answer.
 */
export async function runAgent(
  session: Session,
  toolbox: Toolbox,
  turns: Turns,
): Promise<Conclusion> {
  const { spec, said } = session;
  const prompt: LanguageModelV4Prompt = [
    systemMessage(await prepareInstructions(session)),
    userMessage(spec.task),
  ];
  let continued = "";
  let continuations = 0;
  for (let turn = 1; turn <= spec.maxTurns; turn += 1) {
    prompt.push(...receiveMessages(session, `model/${turn}`));
    const reply = await turns.ask(session, prompt, turn, continued);
    prompt.push(assistantMessage(reply));
    const text = textOf(reply);
    if (text !== "") said.text = continued + text;
    const calls = reply.parts.filter(isCall);
    if (calls.length > 0) {
      const outcomes = await executeCalls(session, toolbox, calls, turn);
      prompt.push(toolMessage(outcomes.map((outcome, index) => answer(calls[index], outcome))));
      continued = "";
    } else if (reply.finish === "length" && continuations < maxContinuations) {
      continuations += 1;
      continued += text;
      prompt.push(userMessage("Your answer was cut off. Continue exactly where it stopped."));
    } else {
      const answered = concluded(reply, continued + text);
      if (!(await awaitMessages(session, `model/${turn + 1}`))) return { text: answered };
      continued = "";
    }
  }
  throw new RunFailed({
    code: "limit-exceeded",
    message: `Agent ${spec.agent} did not come to an answer within its ${spec.maxTurns} turns. Give it a smaller task or a larger max_turns.`,
  });
}

/** The system prompt, recorded so that a resume on another day or branch goes on with the same one. */
async function prepareInstructions(session: Session): Promise<string> {
  const { spec, definition, steps } = session;
  const step = { key: "instructions", kind: "note" } as const;
  return await steps.do(step, async () => {
    const environment = await describeEnvironment(spec.workspace, new Date());
    // Where no placeholder asks for it, the task follows the body as the first message: so the instructions are the
    // same for every task of an agent, and providers can cache them.
    const body = hasTaskPlaceholder(definition.systemPrompt)
      ? injectTask(definition.systemPrompt, spec.task)
      : definition.systemPrompt;
    return { value: `${body}\n\n${environment}`.trim() };
  });
}

/** What others said to the run since its last step, as part of its conversation from `step` on. */
function receiveMessages({ inbox, steps }: Session, step: string): LanguageModelV4Prompt {
  return inbox
    .deliver(step, steps.isRecorded(step))
    .map(({ kind, from, text }) =>
      userMessage(kind === "result" ? text : `[Message from ${from}]:\n${text}`),
    );
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

function textOf(reply: Pick<ModelReply, "parts">): string {
  return reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function answer(
  call: CallPart | undefined,
  outcome: Awaited<ReturnType<typeof executeCalls>>[number],
): Parameters<typeof toolMessage>[0][number] {
  const { text, isError = false, images = [] } = outcome;
  return { id: call?.id ?? "", tool: call?.tool ?? "", text, isError, images };
}
