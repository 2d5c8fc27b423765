import { describe, expect, test } from "vitest";
import { canFillDisk, fillDisk, freeDisk } from "../../fixtures/disk.ts";
import { agentCall, type ServerReply, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { startControlledCadre } from "../../fixtures/process/controlled-cadre.ts";

/** The tasks. Each makes `main` wait for something different. */
const waiting = ["foreground", "background", "dependency", "wait-tool"];

const work = { agentId: "worker", task: "work", label: "first" };
const next = { agentId: "worker", task: "next", dependsOn: "first" };

/** The first calls of `main`, which make it wait. */
const first: Record<string, ServerReply> = {
  foreground: [agentCall("worker", "work")],
  background: [{ tool: "sessions_spawn", input: work }],
  dependency: [
    { tool: "sessions_spawn", input: work },
    { tool: "sessions_spawn", input: next },
  ],
  "wait-tool": [
    { tool: "sessions_spawn", input: work },
    { tool: "sessions_wait", input: {} },
  ],
};

describe.skipIf(!canFillDisk())("runs that only wait, when the disk is full,", () => {
  test("end with one clear error, and continue in the same process when there is space again", async () => {
    const released = Promise.withResolvers<void>();
    const working = Promise.withResolvers<void>();
    let workers = 0;
    const server = await startModelServer(async ({ agent, task, turn }) => {
      if (agent === "main") return (turn === 0 ? first[task] : undefined) ?? "over";
      if (task !== "work") return "next is done";
      workers += 1;
      // Three runs may be active at once.
      if (workers === 3) working.resolve();
      await released.promise;
      return "worked";
    });
    const project = createModelProject(server);
    project.writeAgent("worker");
    const { pid, send, ends } = startControlledCadre(project.folder, project.home);
    for (const task of waiting) expect(await send(`spawn ${task}`)).toHaveProperty("spawned");
    await working.promise;
    fillDisk(pid);
    released.resolve();
    for (const [task, end] of Object.entries(await ends(waiting))) {
      expect(end, task).toMatchObject({ code: "registry-unavailable" });
      expect(end.error).toMatch(/The disk .* may be full.*cadre resume/);
    }
    expect(await send("spawn late")).toMatchObject({ code: "registry-unavailable" });
    const { runs = [] } = await send("list");
    expect(runs.filter(({ status }) => /failed|cancelled/.test(status))).toEqual([]);
    freeDisk(pid);
    expect(await send("spawn fresh")).toHaveProperty("spawned");
    expect((await ends(["fresh"]))["fresh"]).toMatchObject({ status: "succeeded", text: "over" });
    expect(await send("tool fresh")).toEqual({ answer: "over" });
    expect(await send("resume")).toEqual({ resumed: waiting.length });
    for (const [task, end] of Object.entries(await ends(waiting))) {
      expect(end, task).toMatchObject({ status: "succeeded", text: "over" });
    }
  });
});
