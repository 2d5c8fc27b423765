import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

test("a child whose Bash is limited to echo runs echo and nothing else", async () => {
  const results: string[] = [];
  const server = await startModelServer(({ agent, turn, last }) => {
    if (agent === "main") return turn === 0 ? [agentCall("worker", "x")] : "over";
    results.push(...last);
    const commands = ["echo fine", "echo fine && touch made"];
    const command = commands[turn];
    return command === undefined ? "over" : [{ tool: "Bash", input: { command } }];
  });
  const project = createModelProject(server);
  project.writeAgent("worker", { tools: "Read, Bash(echo:*)" });
  const cadre = await project.open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect(await run.result()).toMatchObject({ status: "succeeded" });
  expect(results[1]).toContain("fine");
  expect(results[2]).toMatch(/Permission denied.*rule Bash/s);
  expect(existsSync(join(project.folder, "made"))).toBe(false);
});

test("an agent that its file disables is refused, with what to do", async () => {
  const project = createModelProject(await startModelServer(() => "over"));
  project.writeAgent("worker", { disabled: true });
  const cadre = await project.open();
  await expect(cadre.spawn({ agent: "worker", task: "x" })).rejects.toThrow(
    /worker cannot be used: .*disabled: true.*Remove `disabled`/,
  );
});
