// The conversation that a run continues: a projection of the journals of earlier runs. Nothing is executed again.

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { systemMessage, userMessage } from "../../model/conversation.ts";
import { dropReasoning } from "../conversation/drop-reasoning.ts";
import type { History } from "../loop/run-agent.ts";
import { loadTaskImages } from "../prompt/task-images.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { type EarlierRun, readEarlierRuns } from "./earlier-runs.ts";
import { readRecord } from "./recorded-run.ts";
import { recallTurns } from "./recall-turns.ts";

/**
 * Returns the conversation, in its compacted state, as it was at the end of the run that `run` continues.
 *
 * @throws RunFailed when the registry has lost a part of it.
 */
export async function recallConversation({
  spec,
  registry,
}: Pick<RunContext, "spec" | "registry">): Promise<History> {
  const earlier = await readEarlierRuns(registry, spec);
  const files = new Map<string, string>();
  const prompt: LanguageModelV4Prompt = [];
  let firstTask: string | undefined;
  for (const one of earlier) {
    const record = readRecord(one, registry);
    firstTask ??= record.task;
    const begin = Math.max(1, prompt.length);
    // A compaction depends on the size of the whole request.
    prompt[0] = systemMessage(record.instructions ?? "");
    prompt.push(userMessage(record.task, await loadTaskImages({ spec: one.spec, registry })));
    recallTurns(record, prompt, files);
    if (modelAtEnd(one) !== spec.model) dropReasoning(prompt, begin);
  }
  return { messages: prompt.slice(1), files, firstTask: firstTask ?? "" };
}

/** The model that gave the last replies of a run. */
function modelAtEnd({ spec, events }: EarlierRun): string | null {
  const change = events.findLast((event) => event.type === "model-changed");
  return change?.to ?? spec.model;
}
