import { systemMessage, userMessage } from "../../model/conversation.ts";
import type { Model } from "../../model/model.ts";
import { findSearchTool } from "../../model/request/web-search.ts";
import type { WebSearchAnswer } from "../../tool/tool.ts";
import { readEnginePrompt } from "../prompt/read-engine-prompt.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { type AskServices, askOnce, replyText } from "./ask-once.ts";
import type { ModelChain } from "./model-chain.ts";

/** Searches the web. `key` is the key of the call's step. */
export type SearchWeb = (query: string, key: string) => Promise<WebSearchAnswer>;

/**
 * Creates the web search of a run: one request to its model, whose provider searches. The request is a separate durable step
 * within the run's budget. If the model in use cannot search, the run's first model is asked. Returns `undefined` when neither
 * can search.
 */
export async function createWebSearch(
  run: RunContext,
  models: Pick<ModelChain, "current">,
  services: Pick<AskServices, "clock" | "limits" | "resolveModel">,
): Promise<SearchWeb | undefined> {
  const before = await findSearching(run, models.current(), services);
  if (before === undefined) return undefined;
  return async (query, key) => {
    const current = models.current();
    const model = canSearch(current) ? current : before;
    const resolve = async (): Promise<Model> => model;
    const own = { ...services, resolveModel: resolve, resolveDefaultModel: resolve };
    const prompt = [systemMessage(readEnginePrompt("web-search")), userMessage(query)];
    const question = { prompt, webSearch: true, model: model.id };
    const answer = await askOnce(own, run, question, `${key}/search`);
    return { text: replyText(answer), sources: answer.sources ?? [] };
  };
}

/** Finds a model for searches: the one in use, otherwise the first one of the run. */
async function findSearching(
  { spec }: RunContext,
  current: Model,
  { resolveModel }: Pick<AskServices, "resolveModel">,
): Promise<Model | undefined> {
  if (canSearch(current)) return current;
  if (spec.model === null || spec.model === current.id) return undefined;
  // It may have become unavailable, which is why another one took over.
  const first = await resolveModel(spec.model, spec.rootId).catch(() => undefined);
  return first !== undefined && canSearch(first) ? first : undefined;
}

function canSearch({ language }: Model): boolean {
  return findSearchTool(language) !== undefined;
}
