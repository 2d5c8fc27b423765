import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { OwnTool } from "../../../src/index.ts";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import { toolCall } from "../../fixtures/own-tools.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";
import { omitUndefined } from "../../../src/omit-undefined.ts";

const script = join(import.meta.dirname, "../../fixtures/process/own-tool-process.ts");

/** Waits until `path` exists and is not empty. */
async function written(folder: string, path: string): Promise<void> {
  const isThere = (): boolean => existsSync(path) && readFileSync(path, "utf8") !== "";
  const changes = watch(folder);
  try {
    while (!isThere()) await once(changes, "change");
  } finally {
    changes.close();
  }
}

/**
 * Creates a project in which a process was killed with SIGKILL in the middle of a call of `act`: after its delegation or, with
 * `open`, during it.
 */
async function killInCall(
  access: string,
  { isOpen = false } = {},
): Promise<{ project: ModelProject; calls: () => string[] }> {
  const server = await startModelServer(({ agent, turn, last }) => {
    if (agent === "helper") return isOpen ? hang : "helped";
    return turn === 0 ? [toolCall("act")] : last.join("\n");
  });
  const project = createModelProject(server);
  project.writeAgent("helper");
  const log = join(project.folder, "calls.log");
  const env = processEnvironment(project.home);
  const child = spawn(process.execPath, [script, access, isOpen ? "early" : "late"], {
    cwd: project.folder,
    env,
    stdio: "inherit",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await written(project.folder, log);
  if (isOpen) await server.hung(1);
  isOpen = false;
  child.kill("SIGKILL");
  await once(child, "exit");
  return { project, calls: () => readFileSync(log, "utf8").trim().split("\n") };
}

/** Creates the tool as the next program has it: it ends. */
function createTool({ folder }: ModelProject, access: OwnTool["access"]): OwnTool {
  return {
    name: "act",
    description: "acts",
    ...omitUndefined({ access }),
    async execute(_, { stepKey, delegate }) {
      const { text } = await delegate({ agent: "helper", task: "help" });
      appendFileSync(join(folder, "calls.log"), `${stepKey}\n`);
      return `${text}: acted`;
    },
  };
}

test("a resume after kill -9 repeats a call that only reads, with the same key and the same children", async () => {
  const { project, calls } = await killInCall("read");
  const cadre = await project.open({ tools: [createTool(project, "read")] });
  const [run] = await cadre.resume();
  expect(await run?.result()).toMatchObject({ status: "succeeded", text: "helped: acted" });
  expect(calls()).toEqual([`${run?.id}/tool/1/0`, `${run?.id}/tool/1/0`]);
  const family = await cadre.tree(run?.id ?? "");
  expect(family.map(({ agent, attempts }) => [agent, attempts])).toEqual([
    ["main", 2],
    ["helper", 1],
  ]);
});

test("a resume after kill -9 reports a call that may have changed something, instead of repeating it", async () => {
  const { project, calls } = await killInCall("execute");
  const cadre = await project.open({ tools: [createTool(project, undefined)] });
  const [run] = await cadre.resume();
  const { text, status } = (await run?.result()) ?? {};
  expect(text).toContain("Interrupted, effect unknown, check before repeating: act {}");
  expect(status).toBe("succeeded");
  expect(calls()).toHaveLength(1);
});

inThisProcess("A worker refuses the run, and `cadre workers` says why.")(
  "a resume without the tool names it and leaves the run as it is",
  async () => {
    const { project } = await killInCall("read");
    const cadre = await project.open();
    const run = await cadre.find("last");
    const before = await run.journal();
    const refusal = {
      code: "tool-unavailable",
      message: expect.stringContaining("It may use the tool act of the program that started it"),
    };
    await expect(cadre.resume(run.id)).rejects.toMatchObject(refusal);
    expect(await cadre.resumable()).toEqual([run.id]);
    await expect(cadre.fork(run.id, { at: "model/1" })).rejects.toMatchObject(refusal);
    expect(await run.journal()).toEqual(before);
    await cadre.addTool(createTool(project, "read"));
    const [resumed] = await cadre.resume();
    expect(await resumed?.result()).toMatchObject({ text: "helped: acted" });
  },
);

test("a run that an interrupted call had delegated continues for a repeated call, and ends with its parent otherwise", async () => {
  const repeated = await killInCall("read", { isOpen: true });
  const cadre = await repeated.project.open({ tools: [createTool(repeated.project, "read")] });
  const [run] = await cadre.resume();
  expect(await run?.result()).toMatchObject({ text: "helped: acted", runs: 2 });
  const reported = await killInCall("execute", { isOpen: true });
  const other = await reported.project.open({ tools: [createTool(reported.project, undefined)] });
  const [left] = await other.resume();
  await left?.result();
  const family = await other.tree(left?.id ?? "");
  expect(family.map(({ agent, status }) => [agent, status])).toEqual([
    ["main", "succeeded"],
    ["helper", "cancelled"],
  ]);
});
