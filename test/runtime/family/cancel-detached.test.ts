import { describe, expect, test } from "vitest";
import type { Cadre, Run, RunHandle } from "../../../src/index.ts";
import {
  agentCall,
  hang,
  type ModelServer,
  type ServerReply,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { stopTime } from "../../fixtures/stopped-time.ts";

const detached = {
  tool: "sessions_spawn",
  input: { agentId: "worker", task: "outlive", label: "detached", detach: true },
};

/** `main` calls `lead`, which leaves a detached run active and ends. Then `main` hangs, or ends too. */
function script({ agent, task, turn }: { agent: string; task: string; turn: number }): ServerReply {
  if (agent === "worker") return hang;
  if (agent === "lead") return turn === 0 ? [detached] : "led";
  if (turn === 0) return [agentCall("lead", "lead")];
  return task === "hang" ? hang : "over";
}

interface Fixture {
  project: ModelProject;
  server: ModelServer;
  cadre: Cadre;
}

async function open(): Promise<Fixture> {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.writeAgent("main", { timeout: 3000 });
  project.writeAgent("lead");
  project.writeAgent("worker", { timeout: 3000 });
  return { project, server, cadre: await project.open() };
}

/** Starts `main`. Resolves when the remaining run hangs. */
async function start(fixture: Fixture, task: string, timeoutSeconds = 3000): Promise<RunHandle> {
  const run = await fixture.cadre.spawn({ agent: "main", task, timeoutSeconds });
  await fixture.server.hung(task === "hang" ? 2 : 1);
  if (task !== "hang") await run.result();
  return run;
}

async function statusOf(cadre: Cadre, run: RunHandle): Promise<Run["status"] | undefined> {
  return (await cadre.tree(run.id)).find(({ label }) => label === "detached")?.status;
}

describe("a detached run whose own parent has ended", () => {
  test("ends when its root is cancelled", async () => {
    const fixture = await open();
    const run = await start(fixture, "hang");
    expect(await run.cancel("enough")).toBe(true);
    expect(await statusOf(fixture.cadre, run)).toBe("cancelled");
    await fixture.server.released();
  });

  test("ends at the timeout of its root", async () => {
    const fixture = await open();
    const pass = stopTime();
    const run = await start(fixture, "hang", 30);
    pass(30_000);
    expect(await run.result()).toMatchObject({ status: "timed-out" });
    expect(await statusOf(fixture.cadre, run)).toBe("cancelled");
  });

  test("ends when its ended root is cancelled, from another process too", async () => {
    const fixture = await open();
    const run = await start(fixture, "end");
    const elsewhere = await (await fixture.project.open()).find(run.id);
    expect(await elsewhere.cancel("enough")).toBe(true);
    expect(await statusOf(fixture.cadre, run)).toBe("cancelled");
    expect((await run.state()).status).toBe("succeeded");
    expect(await elsewhere.cancel("enough")).toBe(false);
  });

  test("continues if the cancel keeps detached runs", async () => {
    const fixture = await open();
    const run = await start(fixture, "hang");
    expect(await run.cancel("enough", { keepDetached: true })).toBe(true);
    expect((await run.result()).status).toBe("cancelled");
    expect(await statusOf(fixture.cadre, run)).toBe("running");
    expect(await run.cancel("enough", { keepDetached: true })).toBe(false);
    expect(await run.cancel("all of it")).toBe(true);
    expect(await statusOf(fixture.cadre, run)).toBe("cancelled");
  });

  test("ends at the timeout of a root that an earlier process began", async () => {
    const fixture = await open();
    const run = await start(fixture, "hang", 90);
    await fixture.cadre.close({ leaveRuns: true });
    const next = await fixture.project.open();
    const pass = stopTime();
    const [resumed] = await next.resume();
    await fixture.server.hung(2);
    expect(await statusOf(next, run)).toBe("running");
    pass(90_000);
    expect(await resumed?.result()).toMatchObject({ status: "timed-out" });
    expect(await statusOf(next, run)).toBe("cancelled");
  });
});
