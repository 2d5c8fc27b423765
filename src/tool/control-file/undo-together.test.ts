import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { guardAndKill } from "../../../test/fixtures/process/guard-and-kill.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { linkAtomically } from "./atomic-write.ts";
import { undoLeftChanges } from "./guard-command.ts";

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test("another process may undo the same changes at the same time", async () => {
  const workspaces = [temporaryFolder(), temporaryFolder()];
  const folder = temporaryFolder();
  mkdirSync(join(folder, "baselines"));
  for (const workspace of workspaces) {
    write(workspace, ".cadre/config.yaml", "the user's");
    const own = join(temporaryFolder(), "baselines");
    await guardAndKill(workspace, dirname(own), () => {
      write(workspace, ".cadre/config.yaml", "restored by the other process");
    });
    for (const name of readdirSync(own)) {
      renameSync(join(own, name), join(folder, "baselines", name));
    }
  }
  const names = readdirSync(join(folder, "baselines"));
  expect(names).toHaveLength(2);
  const undoing = undoLeftChanges(folder);
  // It has read the baselines, and waits for the first folder of a workspace.
  for (const name of names) rmSync(join(folder, "baselines", name), { recursive: true });
  expect(await undoing).toEqual([]);
  for (const workspace of workspaces) {
    const text = readFileSync(join(workspace, ".cadre/config.yaml"), "utf8");
    expect(text).toBe("restored by the other process");
  }
});

test("two processes may restore the same symlink at the same time", async () => {
  const [workspace, folder] = [temporaryFolder(), temporaryFolder()];
  const agents = join(workspace, ".claude/agents");
  const names = ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"];
  for (const name of names) write(agents, name, "the user's");
  rmSync(join(agents, "b.md"));
  symlinkSync("a.md", join(agents, "b.md"));
  await guardAndKill(workspace, folder, () => {
    for (const name of names) rmSync(join(agents, name));
  });
  // Both find all files missing before they restore the second.
  await Promise.all([undoLeftChanges(folder), undoLeftChanges(folder)]);
  expect(readlinkSync(join(agents, "b.md"))).toBe("a.md");
  expect(readdirSync(agents).sort()).toEqual(names);
  await linkAtomically(join(agents, "b.md"), "c.md");
  expect(readlinkSync(join(agents, "b.md"))).toBe("c.md");
});
