import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { startSecondProcess } from "../../../test/fixtures/process/second-process.ts";
import { sizeOfDatabase } from "./compact.ts";
import type { Registry } from "../registry.ts";
import { migrations } from "./schema.ts";
import { openRegistry } from "./sqlite-registry.ts";

const hour = 60 * 60 * 1000;

function open() {
  const clock = createFakeClock();
  const registry = openRegistry({ path: join(temporaryFolder(), "cadre.db"), clock });
  onTestFinished(() => registry.close());
  /** Creates a run with its own definition and image, both of that name. */
  const write = (id: string): { definition: string; content: string } => {
    const definition = registry.putContent({ name: id });
    const content = registry.putContent({ data: id });
    const images = [{ mediaType: "image/png", content }];
    registry.append(id, created(id, { definition, images }));
    return { definition, content };
  };
  return { clock, registry, write };
}

describe("pruning", () => {
  test("deletes the definitions and images that no remaining run uses, and no others", async () => {
    const { clock, registry, write } = open();
    const ended = write("ended");
    const alive = write("alive");
    registry.append("ended", finished("ended"));
    await registry.flushed();
    clock.advance(2 * hour);
    expect((await registry.prune(clock.now())).runIds).toEqual(["ended"]);
    expect(await registry.content(ended.definition)).toBeUndefined();
    expect(await registry.content(ended.content)).toBeUndefined();
    expect(await registry.content(alive.definition)).toEqual({ name: "alive" });
    expect(await registry.content(alive.content)).toEqual({ data: "alive" });
  });

  test("spares definitions stored recently, whose run may not be written yet", async () => {
    const { clock, registry } = open();
    const definition = { name: "later" };
    const hash = registry.putContent(definition);
    await registry.flushed();
    clock.advance(0.9 * hour);
    expect(registry.putContent(definition)).toBe(hash);
    await registry.flushed();
    clock.advance(0.9 * hour);
    await registry.prune(clock.now());
    expect(await registry.content(hash)).toEqual(definition);
    clock.advance(hour);
    await registry.prune(clock.now());
    expect(await registry.content(hash)).toBeUndefined();
  });
});

describe("the space of pruned runs", () => {
  /** Writes some megabytes of ended runs; returns the size of the files. */
  async function fill(path: string, registry: Registry): Promise<number> {
    for (let index = 0; index < 200; index += 1) {
      const id = `r-${index}`;
      registry.append(id, created(id));
      registry.append(id, { type: "warning-raised", message: "x".repeat(20_000) });
      registry.append(id, finished(id));
      await registry.flushed();
    }
    return sizeOfDatabase(path);
  }

  test("returns to the file system, with that of the log, while another process has the registry open", async () => {
    const path = join(temporaryFolder(), "cadre.db");
    const registry = openRegistry({ path });
    onTestFinished(() => registry.close());
    const before = await fill(path, registry);
    const other = await startSecondProcess(path);
    expect(await other.send("status r-1")).toEqual({ ok: "succeeded" });
    const { runIds, freedBytes } = await registry.prune(Date.now() + 1);
    expect(runIds).toHaveLength(200);
    const after = sizeOfDatabase(path);
    expect(freedBytes).toBe(before - after);
    expect(after).toBeLessThan(before / 20);
    expect(await other.send("status r-1")).toEqual({ ok: null });
    expect(await other.send("create r")).toEqual({ ok: null });
    expect(await registry.run("r")).toMatchObject({ status: "running" });
  });

  test("returns to the file system once a reader of the old content has finished", async () => {
    const path = join(temporaryFolder(), "cadre.db");
    const registry = openRegistry({ path });
    onTestFinished(() => registry.close());
    const before = await fill(path, registry);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM events").get();
    const { runIds, freedBytes } = await registry.prune(Date.now() + 1);
    expect(runIds).toHaveLength(200);
    expect(freedBytes).toBeLessThan(before / 2);
    reader.exec("COMMIT");
    reader.close();
    expect((await registry.prune(Date.now() + 1)).runIds).toEqual([]);
    expect(sizeOfDatabase(path)).toBeLessThan(before / 20);
  });

  test("returns to the file system from a registry of an earlier version too", async () => {
    const path = join(temporaryFolder(), "cadre.db");
    const database = new DatabaseSync(path);
    for (const migration of migrations) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    expect(database.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 0 });
    database.close();
    const registry = openRegistry({ path });
    onTestFinished(() => registry.close());
    const before = await fill(path, registry);
    await registry.prune(Date.now() + 1);
    expect(sizeOfDatabase(path)).toBeLessThan(before / 20);
    await fill(path, registry);
    await registry.prune(Date.now() + 1);
    expect(sizeOfDatabase(path)).toBeLessThan(before / 20);
  });
});
