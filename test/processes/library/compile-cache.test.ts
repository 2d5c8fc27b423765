import { startLibraryProcess } from "../../fixtures/process/start-library-process.ts";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { omitUndefined } from "../../../src/omit-undefined.ts";
import { startModelServer } from "../../fixtures/model-server.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";

/** Executes a program that uses the library, without a compile cache of its own. */
async function runProgram(project: ModelProject, cache?: string): Promise<void> {
  const { NODE_COMPILE_CACHE: _, ...environment } = processEnvironment(project.home);
  const own = { ...environment, ...omitUndefined({ XDG_CACHE_HOME: cache }) };
  expect(await once(startLibraryProcess(project, "spawn", own), "exit")).toEqual([0, null]);
}

test("compiled code of the library is kept in the user's cache folder", async () => {
  const project = createModelProject(await startModelServer(() => "done"));
  await runProgram(project);
  expect(readdirSync(join(project.home, ".cache", "cadre"))).toHaveLength(1);
});

test("no compiled code is kept in the working folder, even if the cache folder has a relative path", async () => {
  const project = createModelProject(await startModelServer(() => "done"));
  await runProgram(project, "relative");
  expect(readdirSync(project.folder)).not.toContain("relative");
  expect(existsSync(join(project.home, ".cache"))).toBe(false);
});
