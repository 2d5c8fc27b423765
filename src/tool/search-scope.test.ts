import { homedir } from "node:os";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSearchScope } from "./search-scope.ts";

test("keys in a home are left out of a search of the home, not of a search among them", () => {
  const home = realpathSync(homedir());
  const around = createSearchScope("Grep", { policies: [], folder: home, workspace: home });
  expect(around(join(home, ".ssh/id_ed25519"))).toBe(false);
  expect(around(join(home, "notes/ssh.txt"))).toBe(true);
  const workspace = join(home, ".cadre/work");
  const within = createSearchScope("Grep", { policies: [], folder: workspace, workspace });
  expect(within(join(workspace, "a.txt"))).toBe(true);
});

test("rules of every level of a family count, whatever their tool is called", () => {
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
