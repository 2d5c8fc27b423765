import { expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

const retry = { max_retries: 2, checks: ["test -e good"], on_failure: "touch tidied" };

test("an agent file configures retries of its agent, if its commands are trusted", async () => {
  let attempts = 0;
  const server = await startModelServer(({ turn }) => {
    if (turn > 0) return "done";
    attempts += 1;
    const command = attempts === 1 ? "true" : "test -e tidied && touch good";
    return [{ tool: "Bash", input: { command } }];
  });
  const project = createModelProject(server);
  project.writeAgent("careful", { retry });
  const untrusted = await project.open();
  await expect(untrusted.spawn({ agent: "careful", task: "go" })).rejects.toMatchObject({
    code: "not-trusted",
    message: expect.stringContaining("test -e good; touch tidied") as string,
  });
  const cadre = await project.open({ trust: true });
  const run = await cadre.spawn({ agent: "careful", task: "go" });
  expect(await run.result()).toMatchObject({ status: "succeeded", text: "done" });
  expect((await run.state()).retries).toBe(1);
});
