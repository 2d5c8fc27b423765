import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAipProject } from "../../../test/fixtures/aip/aip-project.ts";

test("deleting a folder moves it with its contents to the temporary files of the run", async () => {
  const project = createAipProject();
  const { workspace, write } = project;
  write("diagnostics/a.txt", "one");
  write("diagnostics/sub/b.txt", "two");
  const value = await project.evaluate(`
    local gone = aip.file.delete("diagnostics")
    aip.file.save("diagnostics/a.txt", "again")
    return { gone, aip.file.delete("diagnostics/"), aip.file.delete("diagnostics") }`);
  expect(value).toEqual([true, true, false]);
  expect(existsSync(join(workspace, "diagnostics"))).toBe(false);
  const kept = join(workspace, ".aipack/.sessions/run-1/tmp");
  const texts = readdirSync(kept).map((name) =>
    readFileSync(join(kept, name, "diagnostics/a.txt"), "utf8"),
  );
  expect(texts.toSorted()).toEqual(["again", "one"]);
});

test("permission to delete a folder is requested for each file in it", async () => {
  const asked: unknown[] = [];
  const project = createAipProject({
    refuse(act) {
      asked.push(act);
      return "not permitted";
    },
  });
  const { workspace, write } = project;
  write("src/a.txt", "");
  write("src/.vscode/tasks.json", "{}");
  await expect(project.evaluate('aip.file.delete("src")')).rejects.toThrow("not permitted");
  expect(asked).toEqual([
    {
      kind: "delete",
      subject: join(workspace, "src"),
      others: [join(workspace, "src/.vscode/tasks.json"), join(workspace, "src/a.txt")],
    },
  ]);
  expect(existsSync(join(workspace, "src/a.txt"))).toBe(true);
});

test("the workspace and the folders around the temporary files cannot be deleted", async () => {
  const project = createAipProject();
  const { workspace, write } = project;
  write("a.txt", "kept");
  const value = (await project.evaluate(`
    aip.file.save("$tmp/x.txt", "")
    local function try(path) return select(2, pcall(aip.file.delete, path)) end
    return { try("."), try(".aipack"), try(CTX.TMP_DIR) }`)) as string[];
  for (const message of value)
    expect(message).toContain("it contains the temporary files of this run");
  expect(existsSync(join(workspace, "a.txt"))).toBe(true);
});

test("files of a pack that is not installed do not exist, and listing them returns nothing", async () => {
  const project = createAipProject();
  expect(
    await project.evaluate(`return {
      aip.file.exists("no@pack/x.md"), aip.path.exists("no@pack"), aip.path.is_file("no@pack/x"), aip.path.is_dir("no@pack"),
      aip.file.list("no@pack/**"), aip.file.list({ "*.md", "no@pack/*", "!no@pack/y" }), aip.file.list("*.md", { base_dir = "no@pack" }),
      aip.file.list("*.md", { base_dir = "gone" }), aip.file.list_load("no@pack/**"), aip.file.first("no@pack/*") == nil,
      aip.file.info("no@pack/x") == nil, aip.file.stats("no@pack/*").number_of_files, aip.file.exists("gone/x.md"),
      select(2, pcall(aip.file.load, "no@pack/x.md")),
    }`),
  ).toEqual([
    false,
    false,
    false,
    false,
    [],
    [],
    [],
    [],
    [],
    true,
    true,
    0,
    false,
    expect.stringContaining("there is no pack no@pack"),
  ]);
});
