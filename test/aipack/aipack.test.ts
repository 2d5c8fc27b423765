import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AipWebAnswer, AipWebRequest } from "../../src/aip/location/aip-port.ts";
import { applyPatch } from "../../src/aip/library/file/patch.ts";
import { applyChanges } from "../../src/aip/library/file/save-changes.ts";
import { type AipProject, createSharedAipProject } from "../fixtures/aip/aip-project.ts";
import type { Expectation } from "./expectation.ts";
import { change } from "./expectation/change.ts";
import { data } from "./expectation/data.ts";
import { fileData } from "./expectation/file-data.ts";
import { fileExpectations } from "./expectation/file.ts";
import { hunks } from "./expectation/hunks.ts";
import { markup } from "./expectation/markup.ts";
import { patch } from "./expectation/patch.ts";
import { pathExpectations } from "./expectation/path.ts";
import { textExpectations } from "./expectation/text.ts";
import { value } from "./expectation/value.ts";
import { baseFiles, workspaceFiles } from "./workspace-files.ts";

let project: AipProject;
beforeAll(() => {
  project = createSharedAipProject({ web: answerWeb });
  for (const [name, content] of Object.entries(workspaceFiles)) project.write(name, content);
  for (const [name, content] of Object.entries(baseFiles))
    project.write(join(project.home, ".aipack-base", name), content);
});
afterAll(() => project.remove());

/** A web with one page and an echo of posted data; nothing else can be reached. */
function answerWeb({ method, url, body }: AipWebRequest): AipWebAnswer | undefined {
  if (!url.startsWith("https://example.com/")) return undefined;
  const content = method === "POST" ? `{"json":${body}}` : "a page";
  const type = method === "POST" ? "application/json" : "text/html";
  return { status: 200, url, headers: { "content-type": type }, content };
}

const scripts: Record<string, Expectation[]> = {
  path: pathExpectations,
  text: textExpectations,
  data,
  value,
  markup,
  file: fileExpectations,
  fileData,
};

/** Runs all scripts in one Lua, because one Lua each would take a hundred times as long. Returns whether each succeeded, and its values. */
function joinScripts(expectations: readonly Expectation[]): string {
  const calls = expectations.map(({ code }) => `run(function() ${code} end)`);
  return [
    "local results = {}",
    "local function keep(ok, ...)",
    "  local values = {}",
    "  for i = 1, select('#', ...) do values[i] = value_or(select(i, ...), null) end",
    "  results[#results + 1] = { ok, values }",
    "end",
    "local function run(code) keep(pcall(code)) end",
    ...calls,
    "return results",
  ].join("\n");
}

describe.each(Object.keys(scripts))("%s", (name) => {
  const expectations = scripts[name] ?? [];
  let results: [boolean, unknown[]][];
  beforeAll(async () => {
    results = (await project.evaluate(joinScripts(expectations))) as typeof results;
  });

  test.each(
    expectations.map(({ code, outcome, difference }, index) => ({
      code,
      outcome,
      difference,
      index,
    })),
  )("$code", ({ outcome, difference, index }) => {
    const expected = difference === undefined ? outcome : difference.here;
    const [isOk, values] = results[index] ?? [];
    if ("error" in expected) expect(isOk).toBe(false);
    else expect([isOk, values]).toEqual([true, expected.values]);
  });
});

const patches = [...patch, ...hunks];

test.each(patches)("the patch %j", ({ content, patch: diff, after, difference }) => {
  const result = applyPatch(content, diff);
  const given = result.failed.length > 0 ? null : result.content;
  expect(given).toBe(difference === undefined ? after : difference.here);
});

test.each(change)("the changes %j", ({ content, changes, after, changed, failed, difference }) => {
  if (after === null) {
    expect(() => applyChanges(content, changes, "aip.file.save_changes")).toThrow(/line \d/);
    return;
  }
  const result = applyChanges(content, changes, "aip.file.save_changes");
  expect(result.content).toBe(difference === undefined ? after : difference.here);
  if (changed !== undefined) expect(result.changed).toBe(changed);
  if (failed !== undefined) expect(result.failed.map(({ search }) => search)).toEqual(failed);
});

test("all but the listed differences are as in AIPack", () => {
  const all = [...Object.values(scripts).flat(), ...patches, ...change];
  const reasons = all.flatMap(({ difference }) => (difference === undefined ? [] : difference.why));
  expect({ expectations: all.length, differences: reasons.length }).toEqual({
    expectations: 542,
    differences: 9,
  });
});
