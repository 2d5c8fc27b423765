import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type AipProject, createAipProject } from "../../../test/fixtures/aip/aip-project.ts";
import { type ResolvedAip, resolveAip } from "./resolve-aip.ts";

let project: AipProject;
beforeEach(() => {
  project = createAipProject();
});

function find(reference: string): Promise<ResolvedAip> {
  const { workspace, home } = project;
  return resolveAip(reference, { workspace, home, from: workspace });
}

test("a custom pack takes precedence over an installed one, in any folder", async () => {
  const { home, workspace, write } = project;
  const base = join(home, ".aipack-base", "pack");
  write(join(base, "installed/ns/tool/main.aip"), "");
  write(join(base, "installed/ns/tool/sub/other.aip"), "");
  write(join(base, "installed/ns/tool/sub/main.aip"), "");
  expect((await find("ns@tool")).path).toBe(join(base, "installed/ns/tool/main.aip"));
  expect((await find("ns@tool/sub/other")).path).toBe(
    join(base, "installed/ns/tool/sub/other.aip"),
  );
  expect((await find("ns@tool/sub")).path).toBe(join(base, "installed/ns/tool/sub/main.aip"));
  write(join(base, "custom/ns/tool/main.aip"), "");
  expect((await find("ns@tool")).path).toBe(join(base, "custom/ns/tool/main.aip"));
  write(".aipack/pack/custom/ns/tool/main.aip", "");
  expect((await find("ns@tool")).path).toBe(
    join(workspace, ".aipack/pack/custom/ns/tool/main.aip"),
  );
  write(".aipack/custom/ns/tool/main.aip", "");
  expect(await find("ns@tool")).toEqual({
    path: join(workspace, ".aipack/custom/ns/tool/main.aip"),
    pack: { namespace: "ns", name: "tool", folder: join(workspace, ".aipack/custom/ns/tool") },
  });
});

test("pack.toml names the default agent of a pack", async () => {
  project.write(".aipack/custom/ns/tool/start.aip", "");
  project.write(".aipack/custom/ns/tool/pack.toml", 'default_aip_path = "start.aip"\n');
  expect((await find("ns@tool")).path).toMatch(/tool\/start\.aip$/);
  project.write(".aipack/custom/ns/tool/pack.toml", "default_aip_path = \n");
  await expect(find("ns@tool")).rejects.toMatchObject({ code: "definition-invalid" });
});

test("a path is a file, a file without its extension, or a folder with main.aip", async () => {
  const path = project.write("agents/one.aip", "");
  project.write("agents/two/main.aip", "");
  expect(await find("agents/one.aip")).toEqual({ path });
  expect(await find("agents/one")).toEqual({ path });
  expect((await find("agents/two")).path).toMatch(/two\/main\.aip$/);
  expect((await find("agents/two/")).path).toMatch(/two\/main\.aip$/);
});

test("a missing agent lists the searched paths, and no path leads out of a pack", async () => {
  await expect(find("agents/none")).rejects.toMatchObject({
    code: "agent-not-found",
    message: expect.stringMatching(/agents\/none\.aip, .*agents\/none\/main\.aip/),
  });
  await expect(find("ns@gone")).rejects.toThrow(
    /the pack does not exist.*\.aipack\/custom\/ns\/gone/,
  );
  project.write(".aipack/custom/ns/tool/main.aip", "");
  project.write(".aipack/custom/ns/secret.aip", "");
  await expect(find("ns@tool/../secret")).rejects.toThrow(/leads out of the pack/);
});
