import { expect, test } from "vitest";
import { subAgentOutputSchema } from "../../../src/host.ts";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

test("OpenAI's provider warns of none of Cadre's own schemas, which would reach the parent's conversation", async () => {
  const server = await startModelServer(({ tools }) =>
    tools.includes("final_output") ? [{ tool: "final_output", input: {} }] : "done",
  );
  const project = createModelProject(server);
  project.writeAgent("worker", { model: "openai:gpt-6.1-sol" });
  const environment = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.baseUrl };
  const cadre = await project.open({ environment });
  for (const outputSchema of [undefined, subAgentOutputSchema]) {
    const run = await cadre.spawn({
      agent: "worker",
      task: "go",
      ...(outputSchema && { outputSchema }),
    });
    expect(await run.result()).toMatchObject({ status: "succeeded", warnings: [] });
  }
  const all = ["Bash", "Agent", "Subagent", "sessions_spawn", "context_get"];
  expect(server.turns[0]?.tools).toEqual(expect.arrayContaining(all));
  expect(server.turns[1]?.tools).toContain("final_output");
});
