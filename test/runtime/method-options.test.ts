import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Cadre, RunHandle } from "../../src/index.ts";
import { cadreArguments, changesArguments } from "../../src/runtime/option/cadre-arguments.ts";
import { runArguments } from "../../src/runtime/option/run-arguments.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

async function open(): Promise<{ cadre: Cadre; run: RunHandle }> {
  const project = createModelProject(await startModelServer(() => "done"));
  const cadre = await project.open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  await run.result();
  return { cadre, run };
}

/** Calls a method with arbitrary arguments, as JavaScript can. Resolves with its refusal. */
async function refusalOf(target: object, method: string, ...args: unknown[]): Promise<string> {
  const call = (target as Record<string, (...given: unknown[]) => unknown>)[method];
  try {
    await call?.apply(target, args);
    return "accepted";
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code}: ${message}`;
  }
}

describe("the options of methods", () => {
  test.each([
    ["stream", [{ decendants: true }], "`decendants` is not known. Did you mean `descendants`?"],
    ["stream", [{ descendants: "yes" }], "descendants: expected true or false"],
    ["stream", [5], "Argument 1 of run.stream is not valid"],
    ["events", [{ signal: {} }], "signal: expected an AbortSignal, got an object"],
    ["toUIMessageStream", [{ sginal: 1 }], "`sginal` is not known. Did you mean `signal`?"],
    ["result", [{ timeout: 5 }], "`timeout` is not known. Did you mean `timeoutMs`?"],
    [
      "result",
      [{ timeoutMs: -1 }],
      "timeoutMs: expected milliseconds from 0 to 2147483647, got -1",
    ],
    ["result", [{ timeoutMs: Number.NaN }], "timeoutMs: expected milliseconds"],
    ["cancel", ["why", { keepDetach: true }], "Did you mean `keepDetached`?"],
    ["cancel", [{ keepDetached: true }], "Argument 1 of run.cancel is not valid"],
    ["send", [5], "expected text, got 5"],
    ["continue", [{ taks: "x" }], "taks"],
  ])("of run.%s are refused: %j", async (method, args, message) => {
    const { run } = await open();
    const refusal = await refusalOf(run, method, ...args);
    expect(refusal).toMatch(/^invalid-argument: /);
    expect(refusal).toContain(message);
  });

  test.each([
    ["runs", [{ statsu: [] }], "Did you mean `status`?"],
    ["runs", [{ status: ["runing"] }], "Did you mean `running`?"],
    ["runs", [{ limit: 0 }], "limit: expected a whole number of at least 1, got 0"],
    ["find", [5], "expected text, got 5"],
    ["resume", ["x", { onRefuse: 1 }], "Did you mean `onRefused`?"],
    ["fork", ["x", { step: 1 }], "`step` is not known"],
    ["conversations", [{ achived: true }], "Did you mean `archived`?"],
    ["changeConversation", ["x", { titel: "y" }], "Did you mean `title`?"],
    ["prune", ["30d"], 'expected a number of milliseconds, got "30d"'],
    ["events", [{ after: 5 }], "after: expected text, got 5"],
    ["onEvent", [{}], "expected a function, got an object"],
    ["spawnGraph", ["x.yaml", { modle: "y" }], "Did you mean `model`?"],
    ["close", [{ leaveRun: true }], "Did you mean `leaveRuns`?"],
    ["spawn", [{ agent: "main", task: "x", modle: "y" }], "modle"],
    ["run", [{ agent: "main", task: "x", signal: 5 }], "AbortSignal"],
  ])("of cadre.%s are refused: %j", async (method, args, message) => {
    const { cadre } = await open();
    const refusal = await refusalOf(cadre, method, ...args);
    expect(refusal).toMatch(/^invalid-argument: /);
    expect(refusal).toContain(message);
  });

  test("of cadre.changes are refused", async () => {
    const { cadre, run } = await open();
    expect(await refusalOf(cadre.changes, "merge", [run.id], { dryrun: true })).toContain(
      "Did you mean `dryRun`?",
    );
    expect(await refusalOf(cadre.changes, "merge", run.id)).toContain("expected a list of ids");
    expect(await refusalOf(cadre.changes, "read", 5)).toContain("expected text, got 5");
  });
});

/** The methods whose arguments are requests, agents or tools, which have their own schemas. */
const ownChecks = new Set("spawn run addAgent addTool continue".split(" "));

test.each([
  ["run-handle.ts", "RunHandle", runArguments],
  ["cadre.ts", "Cadre", cadreArguments],
  ["run-changes.ts", "RunChanges", changesArguments],
])("every method with arguments in %s is checked", (file, name, schemas) => {
  const text = readFileSync(join(import.meta.dirname, "../../src/runtime", file), "utf8");
  const [, body = ""] =
    new RegExp(`export interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(text) ?? [];
  const methods = Array.from(
    body.matchAll(/^ {2}(\w+)(?:<[^(]*>)?\(\s*\w/gm),
    ([, method = ""]) => method,
  );
  expect(methods.length).toBeGreaterThan(2);
  const missing = methods.filter((one) => !ownChecks.has(one) && !(one in schemas));
  expect(missing).toEqual([]);
});
