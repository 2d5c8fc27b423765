import { expect, test } from "vitest";
import { startModelServer } from "../fixtures/model-server.ts";
import { createProject } from "../fixtures/project.ts";

test("a Cadre that executes nothing records runs, which another one executes from their first step", async () => {
  const server = await startModelServer(() => "done");
  const project = createProject(server);
  const recording = await project.open({ executes: false });
  const run = await recording.spawn({ agent: "main", task: "go" });
  const fork = recording.spawn({ agent: "nobody", task: "go" });
  await expect(fork).rejects.toMatchObject({ code: "agent-not-found" });
  await recording.idle();
  expect((await run.state()).status).toBe("queued");
  expect((await run.journal()).map(({ type }) => type)).toEqual(["run-created"]);
  const waiting = await recording.find(run.id);
  await recording.close({ leaveRuns: true });
  expect(waiting.id).toBe(run.id);

  const executing = await project.open();
  expect(await executing.resumable()).toEqual([run.id]);
  await executing.resume(run.id);
  const result = await (await executing.find(run.id)).result();
  expect(result).toMatchObject({ status: "succeeded", text: "done", turns: 1 });
});

test("a recorded run is cancelled like any other", async () => {
  const server = await startModelServer(() => "done");
  const cadre = await createProject(server).open({ executes: false });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect(await run.cancel("no longer needed")).toBe(true);
  expect((await run.state()).status).toBe("cancelled");
});
