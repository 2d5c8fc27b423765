import { expect, test } from "vitest";
import type { Diagnostic, Severity } from "./diagnostic.ts";
import { listDiagnostics } from "./group-diagnostics.ts";

function finding(file: string, message: string, severity: Severity = "warning"): Diagnostic {
  const fixture = { path: `/p/${file}.md`, line: 4, column: 1 };
  return { ...fixture, severity, code: "unknown-key", message, fix: "Remove it." };
}

const key = "`color` has no effect.";

test("a finding repeated in several files is one line with its number and positions", () => {
  const files = ["a", "b", "c", "d", "e", "f", "g"];
  const found = [...files.map((file) => finding(file, key)), finding("a", "Something else.")];
  expect(listDiagnostics(found)).toEqual([
    `/p/a.md:4:1 warning unknown-key: ${key} Fix: Remove it. (6 more like it: b.md:4, c.md:4, d.md:4, e.md:4, f.md:4 …)`,
    "/p/a.md:4:1 warning unknown-key: Something else. Fix: Remove it.",
  ]);
});

test("findings that differ only in names are grouped too, unless one name is repeated itself", () => {
  const named = ["a", "b", "c"].map((file) => finding(file, `\`${file}\` has no effect.`));
  const found = [...named, ...["d", "e", "f"].map((file) => finding(file, key))];
  expect(listDiagnostics(found)).toEqual([
    "/p/a.md:4:1 warning unknown-key: `a` has no effect. Fix: Remove it. (2 more like it: b.md:4, c.md:4)",
    `/p/d.md:4:1 warning unknown-key: ${key} Fix: Remove it. (2 more like it: e.md:4, f.md:4)`,
  ]);
});

test("two findings are not grouped, severities are separate, and errors are always listed", () => {
  const twice = [finding("a", key), finding("b", key), finding("c", key, "info")];
  expect(listDiagnostics(twice)).toHaveLength(3);
  const errors = ["a", "b", "c", "d"].map((file) => finding(file, key, "error"));
  expect(listDiagnostics(errors)).toHaveLength(4);
  expect(listDiagnostics([])).toEqual([]);
});
