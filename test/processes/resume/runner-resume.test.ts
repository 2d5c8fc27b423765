import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../fixtures/is-alive.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { readAsked, scriptedRunner, until } from "../../fixtures/runner/runner-fixture.ts";

/** Starts a process that uses the library; see `library-process.ts`. */
function startProcess({ folder, home }: ModelProject, command: string): ChildProcess {
  const script = join(import.meta.dirname, "../../fixtures/process/library-process.ts");
  const child = spawn(process.execPath, [script, command], {
    cwd: folder,
    env: processEnvironment(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("an agent with a runner survives kill -9, continues its session, and gets the list of interrupted calls", async () => {
  const project = createModelProject();
  const { folder } = project;
  const runner = scriptedRunner(folder, "load");
  const once = join(folder, "once");
  const body = `\ndo: call execute build\ndo: begin deploy\ndo: once ${once}\ndo: say finished`;
  project.writeAgent("main", { runner }, body);
  const first = startProcess(project, "spawn");
  const watcher = await project.open();
  await until(async () => existsSync(once) && (await watcher.runs())[0]?.toolCalls === 2);
  first.kill("SIGKILL");
  const [left] = readAsked(folder);
  const second = startProcess(project, "resume");
  const printed = await text(second.stdout ?? process.stdin);
  expect(printed.split("\n")).toContain('"succeeded"');
  const prompts = readAsked(folder).filter(({ method }) => method === "session/prompt");
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.params.text).toMatch(/- build: done\n- deploy: INTERRUPTED/);
  expect(prompts[0]?.params["sessionId"]).toBe(prompts[1]?.params["sessionId"]);
  // The processes of the killed Cadre do not continue beside its successor.
  expect(isAlive(left?.pid ?? 0)).toBe(false);
});
