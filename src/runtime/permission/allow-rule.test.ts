import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { addAllowRule } from "./allow-rule.ts";
import { loadConfig } from "../../config/load-config.ts";

const now = new Date("2026-01-02T03:04:05Z");

function place(text?: string) {
  const root = mkdtempSync(join(tmpdir(), "cadre-rule-"));
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  mkdirSync(cwd);
  mkdirSync(home);
  const path = join(cwd, ".cadre/config.yaml");
  if (text !== undefined) {
    mkdirSync(dirname(path));
    writeFileSync(path, text);
  }
  return { cwd, home, path };
}

test("a rule goes into the project's file, whose comments and form stay", async () => {
  const { cwd, home, path } = place(
    "# mine\nmodel: sonnet # fast\npermissions: { mode: ask, allow: [Read] }\n",
  );
  expect(await addAllowRule("Bash(npm test*)", { scope: "project", cwd, home }, now)).toBe(path);
  const text = readFileSync(path, "utf8");
  expect(text).toBe(
    "# mine\nmodel: sonnet # fast\npermissions:\n  mode: ask\n  allow:\n    - Read\n    - Bash(npm test*) # allowed on 2026-01-02\n",
  );
  const request = { cwd, home, environment: {}, flags: {}, isTrusted: () => true };
  expect((await loadConfig(request)).config.permissions.allow).toEqual(["Read", "Bash(npm test*)"]);
  // Once is enough.
  await addAllowRule("Bash(npm test*)", { scope: "project", cwd, home }, now);
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a rule goes into a new file of the user", async () => {
  const { cwd, home } = place();
  const path = await addAllowRule("Bash(git log*)", { scope: "user", cwd, home }, now);
  expect(path).toBe(join(home, ".cadre/config.yaml"));
  expect(readFileSync(path, "utf8")).toBe(
    "permissions:\n  allow:\n    - Bash(git log*) # allowed on 2026-01-02\n",
  );
});

test.each([
  ["permissions: [", "not added"],
  ["- a", "it is not a map of settings"],
  ["permissions: { allow: Bash }", "permissions.allow is not a list"],
])("an invalid file stays as it is: %s", async (text, problem) => {
  const { cwd, home, path } = place(text);
  const adding = addAllowRule("Read", { scope: "project", cwd, home });
  await expect(adding).rejects.toThrow(problem);
  expect(readFileSync(path, "utf8")).toBe(text);
});
