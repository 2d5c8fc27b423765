import type { LanguageModelV4, LanguageModelV4ProviderTool } from "@ai-sdk/provider";

/** The maximum number of searches in one request to Anthropic. Each is charged. */
const maxUses = 5;

/** The search tools that providers execute themselves, by the name of their client. */
const searchTools: Readonly<Record<string, LanguageModelV4ProviderTool>> = {
  "anthropic.messages": {
    type: "provider",
    id: "anthropic.web_search_20250305",
    name: "web_search",
    args: { maxUses },
  },
  "openai.responses": { type: "provider", id: "openai.web_search", name: "web_search", args: {} },
  "google.generative-ai": {
    type: "provider",
    id: "google.google_search",
    name: "google_search",
    args: {},
  },
};

/** Returns the search tool that a model's provider executes; `undefined` if it has none. */
export function findSearchTool({
  provider,
}: Pick<LanguageModelV4, "provider">): LanguageModelV4ProviderTool | undefined {
  return Object.hasOwn(searchTools, provider) ? searchTools[provider] : undefined;
}
