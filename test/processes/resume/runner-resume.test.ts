import { startLibraryProcess } from "../../fixtures/process/start-library-process.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isAlive } from "../../fixtures/is-alive.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { readAsked, scriptedRunner, until } from "../../fixtures/runner/runner-fixture.ts";

test("an agent with a runner survives kill -9, continues its session, and gets the list of interrupted calls", async () => {
  const project = createModelProject();
  const { folder } = project;
  const runner = scriptedRunner(folder, "load");
  const once = join(folder, "once");
  const body = `\ndo: call execute build\ndo: begin deploy\ndo: once ${once}\ndo: say finished`;
  project.writeAgent("main", { runner }, body);
  const first = startLibraryProcess(project, "spawn");
  const watcher = await project.open();
  await until(async () => existsSync(once) && (await watcher.runs())[0]?.toolCalls === 2);
  first.kill("SIGKILL");
  const [left] = readAsked(folder);
  const second = startLibraryProcess(project, "resume");
  const printed = await text(second.stdout);
  expect(printed.split("\n")).toContain('"succeeded"');
  const prompts = readAsked(folder).filter(({ method }) => method === "session/prompt");
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.params.text).toMatch(/- build: done\n- deploy: INTERRUPTED/);
  expect(prompts[0]?.params["sessionId"]).toBe(prompts[1]?.params["sessionId"]);
  // The processes of the killed Cadre do not continue beside its successor.
  expect(isAlive(left?.pid ?? 0)).toBe(false);
});
