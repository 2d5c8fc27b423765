import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { canFillDisk, fillDisk, freeDisk } from "../fixtures/disk.ts";
import { agentCall, type ServerReply, startModelServer } from "../fixtures/model-server.ts";
import { createProject } from "../fixtures/project.ts";

interface Said {
  ended?: string;
  status?: string;
  code?: string;
  error?: string;
  resumed?: number;
  spawned?: string;
  runs?: { task: string; status: string }[];
}

interface Told {
  child: ChildProcess;
  pid: number;
  /** Gives a command and returns its answer. */
  tell(command: string): Promise<Said>;
  /** How each of these runs ended, by its task. */
  ends(tasks: readonly string[]): Promise<Record<string, Said>>;
}

/** Starts `told-cadre-process.ts`. */
function startCadre(folder: string, home: string): Told {
  const script = join(import.meta.dirname, "../fixtures/told-cadre-process.ts");
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [script, folder, home], { stdio: [...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: Said[] = [];
  let wake = (): void => undefined;
  if (child.stdout === null || child.pid === undefined) throw new Error("it did not start");
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(JSON.parse(line) as Said);
    wake();
  });
  const next = async (isMeant: (one: Said) => boolean): Promise<Said> => {
    for (;;) {
      const index = said.findIndex(isMeant);
      const [found] = index < 0 ? [] : said.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return {
    child,
    pid: child.pid,
    async tell(command) {
      child.stdin?.write(`${command}\n`);
      return await next(({ ended }) => ended === undefined);
    },
    async ends(tasks) {
      const ends: Record<string, Said> = {};
      for (const task of tasks) ends[task] = await next(({ ended }) => ended === task);
      return ends;
    },
  };
}

/** Each of these tasks makes `main` wait for something else. */
const waiting = ["foreground", "background", "dependency", "wait-tool"];

const work = { agentId: "worker", task: "work", label: "first" };
const next = { agentId: "worker", task: "next", dependsOn: "first" };

/** What `main` does first to come to wait. */
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
  test("end with one clear error, and go on in the same process when it has room again", async () => {
    const released = Promise.withResolvers<void>();
    const working = Promise.withResolvers<void>();
    let workers = 0;
    const server = await startModelServer(async ({ agent, task, turn }) => {
      if (agent === "main") return (turn === 0 ? first[task] : undefined) ?? "over";
      if (task !== "work") return "next is done";
      workers += 1;
      // Three may be at work at once.
      if (workers === 3) working.resolve();
      await released.promise;
      return "worked";
    });
    const project = createProject(server);
    project.writeAgent("worker");
    const { pid, tell, ends } = startCadre(project.folder, project.home);
    for (const task of waiting) expect(await tell(`spawn ${task}`)).toHaveProperty("spawned");
    await working.promise;
    fillDisk(pid);
    released.resolve();
    for (const [task, end] of Object.entries(await ends(waiting))) {
      expect(end, task).toMatchObject({ code: "registry-unavailable" });
      expect(end.error).toMatch(/The disk .* may be full.*cadre resume/);
    }
    expect(await tell("spawn late")).toMatchObject({ code: "registry-unavailable" });
    const { runs = [] } = await tell("list");
    expect(runs.filter(({ status }) => /failed|cancelled/.test(status))).toEqual([]);
    freeDisk(pid);
    expect(await tell("spawn fresh")).toHaveProperty("spawned");
    expect((await ends(["fresh"]))["fresh"]).toMatchObject({ status: "succeeded", text: "over" });
    expect(await tell("resume")).toEqual({ resumed: waiting.length });
    for (const [task, end] of Object.entries(await ends(waiting))) {
      expect(end, task).toMatchObject({ status: "succeeded", text: "over" });
    }
  });
});
