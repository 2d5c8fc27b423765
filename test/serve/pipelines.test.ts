import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { createProject } from "../cli/command-line.ts";
import { serveInProcess, token } from "./serve-fixture.ts";

test("pipelines of the project are started by their files, and none outside of it", async () => {
  const project = createProject({
    "script.yaml": "scripts:\n  - reply: { text: done }\n",
    ".cadre/agents/worker.md": "---\nname: worker\ndescription: works\n---\nWork.\n",
    "prompts/fix.md": "---\ninputs: [one, two]\n---\nFix $TASK.\n",
    "prompts/wrong.md": "---\nsub_agents: [nobody]\n---\nFix it.\n",
    "notes.txt": "no prompt",
  });
  const { url } = await serveInProcess({ project });
  const client = createClient({ url, token });
  const request = { file: "prompts/fix.md", task: "Be quick.", label: "both" };
  const { run } = await client.startPipeline(request, { idempotencyKey: "pipeline" });
  expect((await client.startPipeline(request, { idempotencyKey: "pipeline" })).run.id).toBe(run.id);
  expect((await client.readResult(run.id)).result.status).toBe("succeeded");
  const { runs } = await client.readFamily(run.id);
  expect(runs.map(({ agent }) => agent)).toEqual(["prompts/fix.md", "main", "main"]);
  expect(runs[0]).toMatchObject({ label: "both", task: expect.stringContaining("Be quick.") });
  const single = { ...request, parameters: { inputs: ["three"] } };
  const other = await client.startPipeline(single);
  await client.readResult(other.run.id);
  expect((await client.readFamily(other.run.id)).runs).toHaveLength(2);
  // The agents of the server are the same as before.
  expect((await client.listAgents()).agents.map(({ name }) => name)).not.toContain(request.file);
  const asAgent = client.startRun({ agent: request.file, task: "x" });
  await expect(asAgent).rejects.toThrow("POST /pipelines");
  for (const [file, message] of [
    ["../fix.md", "outside of it"],
    ["notes.txt", "Expected a prompt file"],
    ["missing.md", "Expected a prompt file"],
    [".cadre/agents/worker.md", "Expected a prompt file"],
  ] as const) {
    const refused = client.startPipeline({ file });
    await expect(refused).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(refused).rejects.toThrow(message);
  }
  const wrong = client.startPipeline({ file: "prompts/wrong.md" });
  await expect(wrong).rejects.toMatchObject({ code: "definition-invalid" });
  await expect(wrong).rejects.toThrow("nobody");
});
