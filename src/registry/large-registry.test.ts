import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { measureCpu } from "../../test/fixtures/cpu-time.ts";
import { isLong } from "../../test/is-long.ts";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import { openRegistry } from "./sqlite/sqlite-registry.ts";

const runCount = 10_000;
const eventsPerRun = 100;
const familySize = 500;
/**
 * The limit of a query, in milliseconds of CPU. The queries below take 0.1 to 6; a scan of a million events takes about
 * 80. The margin is for slow processors.
 */
const enough = 50;

/** Measures the milliseconds of CPU that `work` takes, the best of five. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let tries = 0; tries < 5; tries += 1) times.push(await measureCpu(work));
  return Math.min(...times);
}

/** Writes the runs through the registry, and most of their events straight into the table, which saves minutes. */
async function fill(path: string): Promise<void> {
  const registry = openRegistry({ path });
  for (let index = 0; index < runCount; index += 1) {
    const id = `r-${index}`;
    const rootId = `r-${index - (index % familySize)}`;
    const parent = id === rootId ? {} : { parentId: rootId, parentStep: id, depth: 1 };
    registry.append(id, created(id, { rootId, ...parent }));
    if (index % 100 !== 0) registry.append(id, finished(id));
    if (index % 1000 === 0) await registry.flushed();
  }
  await registry.close();
  const database = new DatabaseSync(path);
  // Finished runs keep their row; the events of unfinished ones are read whenever they are listed.
  database.exec(`
    WITH RECURSIVE series(value) AS (SELECT 3 UNION ALL SELECT value + 1 FROM series WHERE value < ${eventsPerRun})
    INSERT INTO events (run_id, seq, at, type, data) SELECT id, value, 0, 'warning-raised', '{"message":"${"x".repeat(80)}"}' FROM runs, series`);
  database.close();
}

describe.runIf(isLong)("a registry of 10,000 runs and 1,000,000 events", () => {
  test(
    "lists, shows a tree and shows a run without reading the rest",
    { timeout: 600_000 },
    async () => {
      const path = join(temporaryFolder(), "cadre.db");
      await fill(path);
      const registry = openRegistry({ path });
      onTestFinished(() => registry.close());
      expect(await measure(() => registry.runs())).toBeLessThan(enough);
      // Fifty runs, each with a hundred events newer than its row: about 30.
      expect(await measure(() => registry.runs({ status: ["queued"] }))).toBeLessThan(5 * enough);
      expect(await measure(() => registry.family("r-0"))).toBeLessThan(enough);
      // The rows and settings of runs whose worktrees exist, which `cadre diff` and the end of `cadre run` read.
      const ids = Array.from({ length: 20 }, (_, index) => `r-${index * 500 + 1}`);
      const readNamed = async (): Promise<void> => {
        expect(await registry.runs({ ids, limit: ids.length })).toHaveLength(ids.length);
        for (const id of ids) await registry.spec(id);
      };
      expect(await measure(readNamed)).toBeLessThan(enough);
      // All families. For the hundred unfinished runs this reads the journal too.
      const roots = Array.from(
        { length: runCount / familySize },
        (_, at) => `r-${at * familySize}`,
      );
      expect(await measure(() => registry.figures(roots))).toBeLessThan(5 * enough);
      expect(await measure(() => registry.events("r-5001"))).toBeLessThan(enough);
      expect(await measure(() => registry.abandoned())).toBeLessThan(enough);
    },
  );
});
