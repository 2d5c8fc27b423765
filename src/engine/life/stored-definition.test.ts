import { expect, test } from "vitest";
import { createPlainDefinition } from "../../../test/fixtures/engine-fixture.ts";
import { digestRunner, storeDefinition } from "./stored-definition.ts";

test("a runner is stored without its arguments and the values of its variables", () => {
  const runner = "acp:KEY=secret1 my-agent --token secret2";
  const stored = storeDefinition(createPlainDefinition({ runner }));
  expect(stored.runner).toBe("acp:my-agent");
  expect(JSON.stringify(stored)).not.toMatch(/secret/);
  expect(stored.runnerDigest).toBe(digestRunner(runner));
});

test("the digest of a runner changes with its command, not with a secret", () => {
  const digest = digestRunner("acp:KEY=old my-agent --fast");
  expect(digestRunner("acp:KEY=new my-agent   --fast")).toBe(digest);
  expect(digestRunner("acp:KEY=old my-agent --slow")).not.toBe(digest);
  expect(digestRunner("acp:KEY=old LD_PRELOAD=x my-agent --fast")).not.toBe(digest);
});

test("unknown keys, and findings that may quote them, are not stored", () => {
  const source = { format: "claude", scope: "project", path: "/a.md" } as const;
  const finding = { path: "/a.md", line: 1, column: 1, severity: "warning" } as const;
  const diagnostics = [{ ...finding, code: "unknown-key", message: "secret3", fix: null }];
  const extra = { servers: { header: "secret4" } };
  const stored = storeDefinition(createPlainDefinition({ source, diagnostics, extra }));
  expect(JSON.stringify(stored)).not.toMatch(/secret/);
});
