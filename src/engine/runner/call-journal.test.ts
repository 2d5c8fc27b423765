import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRunnerFixture } from "../../../test/fixtures/runner/runner-fixture.ts";
import type { RunEvent } from "../../run/event.ts";
import { sha256 } from "../../tool/path/regular-file.ts";

const started = (events: readonly RunEvent[]): object[] =>
  events.flatMap((event) =>
    event.type === "step-started"
      ? [{ key: event.key, title: event.title, risk: event.hasEffect }]
      : [],
  );
const outcomes = (events: readonly RunEvent[]): Record<string, unknown> =>
  Object.fromEntries(
    events.flatMap((event) =>
      event.type === "step-finished" && event.kind !== "model" ? [[event.key, event.value]] : [],
    ),
  );

describe("the activity of a runner", () => {
  test("is in the journal of its run: calls, changed files, its plan", async () => {
    const { begin, engine, events, workspace, registry } = createRunnerFixture();
    const file = join(workspace, "a.txt");
    const id = await begin([
      "do: plan look,change",
      "do: call read the code",
      "do: failing npm test",
      `do: edit ${file} new write`,
      "do: think about it",
      "do: begin a build",
      "do: parts",
    ]);
    await engine.result(id);
    const journal = await events(id);
    expect(started(journal)).toEqual([
      { key: "tool/1/0", title: "the code", risk: false },
      { key: "tool/1/1", title: "npm test", risk: true },
      { key: "tool/1/2", title: "write a.txt", risk: true },
      { key: "tool/1/3", title: "a build", risk: true },
      { key: "tool/1/4", title: "ls", risk: true },
    ]);
    expect(outcomes(journal)).toMatchObject({
      "tool/1/0": { text: "result of the code" },
      "tool/1/1": { text: "it broke", isError: true },
      "tool/1/2": { files: [{ path: file, hash: sha256("new"), change: "written" }] },
      "tool/1/3": { isError: true, text: expect.stringContaining("ended before") },
      "tool/1/4": { text: "a\nb\nc" },
      "plan/1": [
        { content: "look", status: "completed" },
        { content: "change", status: "in_progress" },
      ],
    });
    expect(await registry.run(id)).toMatchObject({ own: { toolCalls: 5 }, openSteps: 0 });
  });

  test("begins a call once the agent has described it, and ends it at a refusal", async () => {
    const policies = [{ mode: "deny" as const, rules: { allow: [], ask: [], deny: [] } }];
    const { begin, engine, events } = createRunnerFixture();
    const id = await begin(["do: announce Read a.txt", "do: ask execute make"], { policies });
    await engine.result(id);
    const journal = await events(id);
    expect(started(journal)).toMatchObject([{ title: "Read a.txt" }, { title: "execute make" }]);
    expect(outcomes(journal)).toMatchObject({
      "tool/1/0": { text: "seen" },
      "tool/1/1": { text: "Permission denied: mode deny.", isError: true },
    });
  });

  test("includes files that Cadre reads and writes for it, in the workspace only", async () => {
    const { begin, engine, events, workspace } = createRunnerFixture();
    const file = join(workspace, "folder", "b.txt");
    const id = await begin([
      `do: write ${file} hello`,
      `do: read ${file}`,
      `do: read ${file} 2 1`,
      "do: read /etc/passwd",
      "do: write /tmp/cadre-outside x",
      "do: read nowhere.txt",
    ]);
    const { text } = await engine.result(id);
    expect(text).toMatch(
      /^\[written\]\[hello\]\[\]\[-32603 .*outside the workspace.*\]\[.*outside the workspace.*\]\[-32002 .*nowhere.txt\]$/,
    );
    expect(readFileSync(file, "utf8")).toBe("hello");
    const written = [{ path: file, hash: sha256("hello"), change: "written" }];
    expect(outcomes(await events(id))).toMatchObject({ "tool/1/0": { files: written } });
  });

  test("includes reading a missing file, which one agent treats as an error that ends its call", async () => {
    const { execute } = createRunnerFixture(["gemini"]);
    expect(await execute(["do: read nowhere.txt"])).toMatchObject({ text: "[]" });
  });

  test("is counted against the budget of calls", async () => {
    const { execute } = createRunnerFixture();
    const result = await execute(["do: call read one", "do: call read two", "do: hang"], {
      budget: { toolCalls: 1 },
    });
    expect(result).toMatchObject({ status: "failed", failure: { code: "budget-exceeded" } });
  });

  test.each([
    ["shout", "wrote more than"],
    ["rush", "more than 5000 calls"],
    ["beg", "sent more than 2000 requests"],
  ])("is limited when it never ends (%s)", async (deed, message) => {
    const policies = [{ mode: "deny" as const, rules: { allow: [], ask: [], deny: [] } }];
    const { execute } = createRunnerFixture();
    const result = await execute([`do: ${deed}`], { policies });
    expect(result).toMatchObject({ status: "failed", failure: { code: "limit-exceeded" } });
    expect(result.failure?.message).toContain(message);
    expect(result.warnings.length).toBeLessThan(20);
  });
});
