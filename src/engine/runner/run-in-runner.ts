// Execution of agents in other programs, called runners.

import type { Clock } from "../../clock.ts";
import type { ReplyPart } from "../../model/model.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { awaitMessages } from "../loop/await-messages.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import { createStructuredOutput } from "../loop/structured-output.ts";
import { loadTaskImages } from "../prompt/task-images.ts";
import { formatMessage } from "../conversation/format-message.ts";
import { createTranscript } from "../conversation/transcript.ts";
import { modelKey } from "../loop/model-key.ts";
import { describeUnsupportedSettings } from "./unsupported-settings.ts";
import { type EarlierConversation, prepareBeginning } from "./prompt.ts";
import {
  createRunnerProcess,
  type RunnerStartOptions,
  type RunnerProcess,
} from "./runner-process.ts";
import { requireDone } from "./stop-reason.ts";
import { askRunner, type RunnerReply } from "./turn.ts";

/** Options of {@link runInRunner}. */
export interface RunnerOptions {
  clock: Clock;
  /** Called before the runner is started. @throws CadreError `not-trusted` */
  prepare: () => Promise<RunnerStartOptions>;
  /** The conversation that the run continues. */
  conversation?: EarlierConversation | undefined;
}

/**
 * Executes a run in a runner: prompts it, records its actions, and prompts it again with messages that arrived meanwhile. As in
 * `runAgent`, all state is in the journal.
 *
 * @throws RunFailed or CadreError when the runner does not answer.
 */
export async function runInRunner(run: RunContext, options: RunnerOptions): Promise<Conclusion> {
  for (const warning of describeUnsupportedSettings(run)) run.warnings.add(warning);
  const runnerProcess = createRunnerProcess(run, options);
  try {
    return await takeTurns(run, runnerProcess, options);
  } finally {
    await runnerProcess.close();
  }
}

async function takeTurns(
  run: RunContext,
  runnerProcess: RunnerProcess,
  { clock, conversation }: RunnerOptions,
): Promise<Conclusion> {
  const { spec, inbox, steps, conclusion, prefix } = run;
  const { outputSchema } = spec;
  const output = outputSchema && createStructuredOutput(outputSchema, spec.agent, "text");
  const images = await loadTaskImages(run);
  const replies: RunnerReply[] = [];
  const before = inbox.receivedBefore(prefix).map(formatMessage);
  const { prompt, earlier } = await prepareBeginning(run, conversation);
  let waiting = [prompt, ...before];
  let sessionId = conversation?.sessionId;
  for (let turn = 1; ; turn += 1) {
    const key = modelKey(run, turn);
    waiting.push(...inbox.deliver(key, steps.isRecorded(key)).map(formatMessage));
    const asked = waiting.join("\n\n");
    const answer = await askRunner(run, runnerProcess, {
      turn,
      asked,
      earlier,
      images,
      sessionId,
      now: clock.monotonic,
    });
    const { reply } = answer;
    ({ sessionId } = answer);
    replies.push(reply);
    const text = lastText(reply.parts);
    conclusion.text = text;
    requireDone(spec.agent, reply);
    earlier.push({ asked, answered: text });
    const checked = output?.checkText(text);
    waiting = checked !== undefined && "correction" in checked ? [checked.correction] : [];
    if (waiting.length > 0 || (await awaitMessages(run, modelKey(run, turn + 1)))) continue;
    const result = checked !== undefined && "value" in checked ? { output: checked.value } : {};
    return {
      ...result,
      text: spec.summary === false ? await transcribe(run, replies) : text,
    };
  }
}

/** Returns the text after the last call. */
function lastText(parts: readonly ReplyPart[]): string {
  const last = parts.findLast((part) => part.type === "text");
  return last?.type === "text" ? last.text.trim() : "";
}

/** Records all text of the runner and all results of its tools, in order. */
async function transcribe(
  { registry, spec }: RunContext,
  replies: readonly RunnerReply[],
): Promise<string> {
  const outcomes = new Map<string, string>();
  // Only durable events can be read back.
  await registry.flushed();
  for (const event of await registry.events(spec.id)) {
    if (event.type !== "step-finished" || event.kind !== "tool") continue;
    outcomes.set(event.key, (event.value as unknown as ToolOutcome).text);
  }
  const transcript = createTranscript(spec.id);
  for (const part of replies.flatMap(({ parts }) => parts)) {
    if (part.type === "text") transcript.addText(part.text);
    if (part.type === "tool-call") transcript.addResult(part.tool, outcomes.get(part.id) ?? "");
  }
  return transcript.text();
}
