import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import type { RunEventBody } from "../run/event.ts";
import { noUsage } from "../run/usage.ts";
import type { Registry } from "./registry.ts";
import { migrations } from "./sqlite/schema.ts";
import { openRegistry } from "./sqlite/sqlite-registry.ts";

function open(path: string = join(temporaryFolder(), "cadre.db")): Registry {
  const registry = openRegistry({ path });
  onTestFinished(() => registry.close());
  return registry;
}

const usage = { ...noUsage, inputTokens: 10 };
const begun: RunEventBody = { type: "run-started", owner: "1" };
const step = (key: string): RunEventBody => ({
  type: "step-finished",
  kind: "model",
  key,
  value: {},
  usage,
  cost: 0.5,
  durationMs: 1,
});

/** Creates `root`, its child `a` and the child `b` of `a`. Each takes one turn; `b` is unfinished. */
async function fill(registry: Registry): Promise<void> {
  const below = { rootId: "root", parentStep: "s" };
  registry.append("root", created("root"));
  registry.append("a", created("a", { ...below, parentId: "root", depth: 1 }));
  registry.append("b", created("b", { ...below, parentId: "a", depth: 2 }));
  for (const id of ["root", "a", "b"]) {
    registry.append(id, begun);
    registry.append(id, step("model/0"));
  }
  registry.append("a", finished("a"));
  await registry.flushed();
}

test("a registry of an earlier version has the figures of its runs", async () => {
  const path = join(temporaryFolder(), "cadre.db");
  const database = new DatabaseSync(path);
  for (const migration of migrations.slice(0, 4)) database.exec(migration);
  database.exec("PRAGMA user_version = 4");
  const newest = open();
  await fill(newest);
  for (const [id, ended] of [
    ["root", null],
    ["a", 1],
  ] as const) {
    const { own, ...run } = (await newest.run(id)) ?? {};
    // Earlier versions omitted the number of tool calls when it was zero.
    const { toolCalls: _, ...flat } = { ...own };
    const state = JSON.stringify({ ...run, ...flat });
    database
      .prepare(
        "INSERT INTO runs (id, root_id, parent_id, agent, status, created_at, ended_at, state) VALUES (?, 'root', ?, 'main', 'running', 0, ?, ?)",
      )
      .run(id, id === "a" ? "root" : null, ended, state);
  }
  database.close();
  const registry = open(path);
  expect(await registry.run("a")).toEqual(await newest.run("a"));
  expect((await registry.figures(["root"])).get("root")).toMatchObject({
    runs: 2,
    turns: 2,
    toolCalls: 0,
    usage: { inputTokens: 20 },
    cost: 1,
  });
});
