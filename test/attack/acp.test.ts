import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRunnerFixture } from "../fixtures/runner/runner-fixture.ts";
import type { PermissionPolicy } from "../../src/run/permission.ts";

function policy(mode: PermissionPolicy["mode"], deny: string[] = []): PermissionPolicy {
  return { mode, rules: { allow: [], ask: [], deny } };
}

test("a runner that declares a command as reading, searching or thinking is refused by the rules for commands", async () => {
  const { execute } = createRunnerFixture();
  const denied = await execute(["do: disguise"], { policies: [policy("auto", ["Bash(rm *)"])] });
  expect(denied.text).toBe("[no]".repeat(9));
  const planned = await execute(["do: disguise"], { policies: [policy("plan")] });
  expect(planned.text).toBe("[no]".repeat(9));
  const allowed = await execute(["do: disguise"], { policies: [policy("auto")] });
  expect(allowed.text).toBe("[yes]".repeat(9));
});

test("a runner that declares a command as reading is still bound by the rules for reading", async () => {
  const { execute } = createRunnerFixture();
  const { text } = await execute(["do: disguise"], { policies: [policy("auto", ["Grep(x)"])] });
  expect(text).toBe("[yes][no][yes][yes][yes][no][yes][yes][yes]");
});

test("a runner that names another session is refused with an error and reaches nothing", async () => {
  const { execute, workspace } = createRunnerFixture();
  writeFileSync(join(workspace, "a.txt"), "secret");
  const { text, status } = await execute(["do: trespass", "do: read a.txt"], {
    policies: [policy("auto")],
  });
  const [notFound, noMethod] = ["[-32002]", "[-32601]"];
  expect(text).toBe(`${notFound.repeat(3)}${noMethod.repeat(6)}[secret]`);
  expect(status).toBe("succeeded");
  expect(existsSync(join(workspace, "made.txt"))).toBe(false);
});
