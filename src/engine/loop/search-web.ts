import { systemMessage, userMessage } from "../../model/conversation.ts";
import type { Model } from "../../model/model.ts";
import { findSearchTool } from "../../model/request/web-search.ts";
import type { WebSearchAnswer } from "../../tool/tool.ts";
import { readEnginePrompt } from "../prompt/read-engine-prompt.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { askOnce, replyText } from "./ask-once.ts";
import type { AskSettings } from "./budgeted-model.ts";

/** Searches the web; `key` is that of the call's step. */
export type SearchWeb = (query: string, key: string) => Promise<WebSearchAnswer>;

/**
 * Creates the web search of a run: one request to its model, whose provider searches. It is a durable step of its own within the
 * budget of the run. `undefined` when the provider has no search.
 */
export function createWebSearch(
  run: RunContext,
  model: Model,
  settings: AskSettings,
): SearchWeb | undefined {
  if (findSearchTool(model.language) === undefined) return undefined;
  const resolve = async (): Promise<Model> => model;
  const services = { ...settings, resolveModel: resolve, resolveDefaultModel: resolve };
  return async (query, key) => {
    const prompt = [systemMessage(readEnginePrompt("web-search")), userMessage(query)];
    const answer = await askOnce(services, run, { prompt, webSearch: true }, `${key}/search`);
    return { text: replyText(answer), sources: answer.sources ?? [] };
  };
}
