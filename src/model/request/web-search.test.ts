import { describe, expect, test } from "vitest";
import { startSearchServer } from "../../../test/fixtures/search-server.ts";
import { userMessage } from "../conversation.ts";
import { createModels } from "../provider/create-models.ts";
import { askModel } from "./ask-model.ts";
import { findSearchTool } from "./web-search.ts";

async function search(reference: string, stream = false) {
  const { url, searches } = await startSearchServer();
  const models = createModels({
    environment: {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: "key",
      GEMINI_API_KEY: "key",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
    },
    config: {},
    // At another address than OpenAI's own, the chat protocol is used.
    fetch: async (input, init) =>
      await fetch((input as string).replace("https://api.openai.com", url), init),
  });
  const model = await models.resolve(reference);
  const request = { prompt: [userMessage("tabs")], tools: [], webSearch: true };
  const { signal } = new AbortController();
  const reply = await askModel(model, request, { signal, stream, retries: 0 });
  await models.close();
  return { reply, searches };
}

describe("the search of a provider", () => {
  test.each<[string, boolean, unknown]>([
    [
      "anthropic:claude-haiku-4-5",
      false,
      { type: "web_search_20250305", name: "web_search", max_uses: 5 },
    ],
    [
      "anthropic:claude-haiku-4-5",
      true,
      { type: "web_search_20250305", name: "web_search", max_uses: 5 },
    ],
    ["openai:gpt-5", false, { type: "web_search" }],
    ["google:gemini-2.5-flash", false, { googleSearch: {} }],
  ])(
    "of %s, streamed: %s, is asked for in its own format, and its sources are read",
    async (reference, stream, tool) => {
      const { reply, searches } = await search(reference, stream);
      expect(searches.map(({ tools }) => tools)).toEqual([[tool]]);
      expect(reply.parts).toMatchObject([{ type: "text", text: "Tabs are eight wide." }]);
      expect(reply.finish).toBe("stop");
      expect(reply.sources).toEqual([{ url: "https://example.org/tabs", title: "Tabs" }]);
      expect(reply.usage).toMatchObject({ inputTokens: 50, outputTokens: 7 });
    },
  );

  test("does not exist for other servers", () => {
    expect(findSearchTool({ provider: "local.chat" })).toBeUndefined();
    expect(findSearchTool({ provider: "constructor" })).toBeUndefined();
  });
});
