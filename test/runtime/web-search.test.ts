import { describe, expect, test } from "vitest";
import type { CadreOptions } from "../../src/index.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { startSearchServer } from "../fixtures/search-server.ts";

const call = { type: "tool_use", id: "toolu_1", name: "WebSearch", input: { query: "how wide" } };

/** Creates a project whose model, one of Anthropic, searches for `how wide` and answers with the outcome. */
async function createFixture() {
  const server = await startSearchServer((body) => {
    const messages = body["messages"] as { content: { type: string; content?: unknown }[] }[];
    const result = messages.at(-1)?.content.find(({ type }) => type === "tool_result");
    return result === undefined ? [call] : [{ type: "text", text: JSON.stringify(result.content) }];
  });
  const project = createModelProject();
  project.writeAgent("finder", { tools: ["WebSearch"] });
  const run = async (options: CadreOptions = {}) => {
    const cadre = await project.open({
      environment: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: `${server.url}/v1` },
      model: "anthropic:claude-haiku-4-5",
      ...options,
    });
    const handle = await cadre.spawn({ agent: "finder", task: "find out" });
    return { result: await handle.result(), events: await handle.journal() };
  };
  return { ...server, project, run };
}

describe("WebSearch", () => {
  test("searches with the provider of the run's model, as a recorded request, and names the sources", async () => {
    const { searches, run } = await createFixture();
    const { result, events } = await run();
    expect(result.status).toBe("succeeded");
    expect(result.text).toContain("Tabs are eight wide.");
    expect(result.text).toContain("Sources:\\n- Tabs: https://example.org/tabs");
    expect(searches).toHaveLength(1);
    expect(JSON.stringify(searches[0]?.["messages"])).toContain("how wide");
    expect(events).toContainEqual(
      expect.objectContaining({ key: "tool/1/0/search", kind: "model", cost: expect.any(Number) }),
    );
    // Two turns and the search.
    expect(result.usage.inputTokens).toBe(150);
  });

  test("needs permission like other access to the network", async () => {
    const { searches, run } = await createFixture();
    const { result } = await run({ mode: "deny" });
    expect(result.text).toContain("Permission denied for WebSearch how wide");
    expect(searches).toEqual([]);
    const asked: string[] = [];
    await run({
      mode: "ask",
      onApproval: async ({ title }) => {
        asked.push(title);
        return { decision: "allow", scope: "once" };
      },
    });
    expect(asked).toEqual(["WebSearch how wide"]);
    expect(searches).toHaveLength(1);
  });

  test("is denied by a rule about the query", async () => {
    const { searches, project, run } = await createFixture();
    project.write(".cadre/config.yaml", 'permissions: { deny: ["WebSearch(*wide*)"] }');
    const { result } = await run();
    expect(result.text).toContain("rule WebSearch(*wide*)");
    expect(searches).toEqual([]);
  });

  test("is not offered where the provider has none, and an agent that names it gets a warning", async () => {
    const server = await startModelServer(() => "done");
    const project = createModelProject(server);
    project.writeAgent("finder", { tools: ["WebSearch", "Read"] });
    project.writeAgent("other");
    const cadre = await project.open();
    const { warnings } = await cadre.run({ agent: "finder", task: "go" });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Agent finder names WebSearch, but the provider of mock:mock has no web/,
      ),
    ]);
    expect(server.turns[0]?.tools).toEqual(["Read"]);
    const other = await cadre.run({ agent: "other", task: "go" });
    expect(other.warnings).toEqual([]);
    expect(server.turns[1]?.tools).not.toContain("WebSearch");
  });
});
