import { homedir } from "node:os";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSearchScope } from "./search-scope.ts";

test("a search of the home folder leaves keys out, a search of the folder with the keys does not", () => {
  const home = realpathSync(homedir());
  const around = createSearchScope("Grep", { policies: [], folder: home, workspace: home });
  expect(around(join(home, ".ssh/id_ed25519"))).toBe(false);
  expect(around(join(home, "notes/ssh.txt"))).toBe(true);
  const workspace = join(home, ".cadre/work");
  const within = createSearchScope("Grep", { policies: [], folder: workspace, workspace });
  expect(within(join(workspace, "a.txt"))).toBe(true);
});

test("the rules of every level of a family count, under any name of their tool", () => {
  const level = (deny: string[]) => ({
    mode: "auto" as const,
    rules: { allow: [], ask: [], deny },
  });
  const policies = [level(["Read(*.key)"]), level(["Grep(vault/)", "Write(src/**)"])];
  const isOpen = createSearchScope("Grep", { policies, folder: "/w", workspace: "/w" });
  expect(["/w/a/b.key", "/w/vault/x", "/w/src/a.ts"].map((path) => isOpen(path))).toEqual([
    false,
    false,
    true,
  ]);
});
