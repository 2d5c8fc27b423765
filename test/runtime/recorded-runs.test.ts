import { expect, test } from "vitest";
import { hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { inThisProcess } from "../fixtures/postgres/in-this-process.ts";

test("a Cadre that executes nothing records runs, which another one executes from their first step", async () => {
  const server = await startModelServer(() => "done");
  const project = createModelProject(server);
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
  const cadre = await createModelProject(server).open({ executes: false });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  expect(await run.cancel("no longer needed")).toBe(true);
  expect((await run.state()).status).toBe("cancelled");
});

inThisProcess("A resume of a run that workers have does nothing.")(
  "a resume is refused while a living process executes the run",
  async () => {
    const server = await startModelServer(() => hang);
    const project = createModelProject(server);
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const other = await project.open();
    await expect(other.resume(run.id)).rejects.toMatchObject({ code: "run-owned" });
    expect(await other.resume()).toEqual([]);
    expect(await (await other.find(run.id)).cancel("from elsewhere")).toBe(true);
    expect((await run.result()).failure?.message).toBe("from elsewhere");
  },
);
