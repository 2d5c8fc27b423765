import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Cadre, RunEvent } from "../../../src/index.ts";
import {
  agentCall,
  hang,
  type ModelServer,
  type ServerReply,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { stopTime } from "../../fixtures/stopped-time.ts";

const command = "echo $$ > pid; sleep 1234 & echo $! >> pid; wait";

/** A family of four: `lead` starts two runs; one waits for its model, and the other runs a command. */
function script({ agent, task, turn }: { agent: string; task: string; turn: number }): ServerReply {
  if (turn > 0) return "over";
  if (agent === "main") return [agentCall("lead", "x")];
  if (agent === "lead") return [agentCall("worker", "think"), agentCall("worker", "act")];
  return task === "think" ? hang : [{ tool: "Bash", input: { command } }];
}

async function startFamily(): Promise<{
  project: ModelProject;
  server: ModelServer;
  cadre: Cadre;
}> {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.writeAgent("worker");
  project.writeAgent("lead");
  project.writeAgent("main", { timeout: 3000 });
  return { project, server, cadre: await project.open() };
}

/** Resolves with the ids of the processes of the command. */
async function commandPids({ folder }: ModelProject): Promise<number[]> {
  const file = join(folder, "pid");
  for (;;) {
    const pids = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    if (pids.length === 2) return pids.map(Number);
    await nextTurn();
  }
}

function isRunning(pid: number): boolean {
  return readdirSync("/proc").includes(String(pid)) && !stateOf(pid).startsWith("Z");
}

function stateOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2);
  } catch {
    return "Z";
  }
}

async function expectEnded(cadre: Cadre, rootId: string, status: string): Promise<void> {
  const family = await cadre.tree(rootId);
  expect(family).toHaveLength(4);
  expect(family[0]?.status).toBe(status);
  for (const run of family.slice(1)) expect(run.status).toBe("cancelled");
  for (const { id } of family) {
    const events: RunEvent[] = [];
    for await (const event of (await cadre.find(id)).events()) events.push(event);
    expect(events.filter(({ type }) => type === "run-finished")).toHaveLength(1);
  }
}

describe("a stopped family", () => {
  test("ends at once when its root is cancelled, with its processes and its requests", async () => {
    const { project, server, cadre } = await startFamily();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const [pids] = await Promise.all([commandPids(project), server.hung(1)]);
    expect(pids.every(isRunning)).toBe(true);
    // Each level waits for the levels below it, and none waits for the grace period of tools that ignore the signal.
    stopTime();
    expect(await run.cancel("enough")).toBe(true);
    await server.released();
    expect(pids.filter(isRunning)).toEqual([]);
    await expectEnded(cadre, run.id, "cancelled");
    expect((await run.result()).failure).toEqual({ code: "cancelled", message: "enough" });
    expect(await run.cancel()).toBe(false);
  });

  test("ends at the timeout of its root", async () => {
    const { project, server, cadre } = await startFamily();
    const pass = stopTime();
    const run = await cadre.spawn({ agent: "main", task: "go", timeoutSeconds: 30 });
    const [pids] = await Promise.all([commandPids(project), server.hung(1)]);
    pass(29_999);
    expect((await run.state()).status).toBe("running");
    pass(1);
    expect(await run.result()).toMatchObject({ status: "timed-out" });
    await server.released();
    expect(pids.filter(isRunning)).toEqual([]);
    await expectEnded(cadre, run.id, "timed-out");
  });

  test("ends when Cadre is closed, and that is recorded", async () => {
    const { project, server, cadre } = await startFamily();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const [pids] = await Promise.all([commandPids(project), server.hung(1)]);
    await cadre.close();
    await server.released();
    expect(pids.filter(isRunning)).toEqual([]);
    await expectEnded(await project.open(), run.id, "cancelled");
  });

  test("continues without a child that was cancelled alone", async () => {
    const { project, server, cadre } = await startFamily();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await Promise.all([commandPids(project), server.hung(1)]);
    const family = await cadre.tree(run.id);
    for (const { id, depth } of family) if (depth === 2) await (await cadre.find(id)).cancel("no");
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "over" });
    const received = server.turns.find(({ agent, turn }) => agent === "lead" && turn === 1)?.last;
    expect(received?.join()).toContain("did not succeed (cancelled, run ");
  });
});
