import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { createInstructionCache } from "./instruction-cache.ts";
import { readInstructionFiles } from "./read-instruction-files.ts";

async function createFixture() {
  const root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  write("repo/AGENTS.md", "first @more.md");
  let readings = 0;
  const cache = createInstructionCache(async (...given) => {
    readings += 1;
    return await readInstructionFiles(...given);
  });
  const folders = { workspace: join(root, "repo"), home: join(root, "home") };
  const texts = async (): Promise<string[]> => (await cache(folders)).files.map(({ text }) => text);
  // A file that has just changed is read again: it could change again without a trace.
  const awaitClockTick = async (): Promise<void> => {
    for (let before = -1; before !== readings;) {
      before = readings;
      await texts();
    }
    readings = 0;
  };
  await awaitClockTick();
  return { root, write, texts, settle: awaitClockTick, readings: () => readings };
}

test("10,000 runs read the files once, in far less than 100 µs each", async () => {
  const { texts, readings } = await createFixture();
  const before = process.cpuUsage();
  for (let run = 0; run < 10_000; run += 1) await texts();
  const { user, system } = process.cpuUsage(before);
  expect(readings()).toBe(0);
  expect((user + system) / 10_000).toBeLessThan(100);
});

test("concurrent readers share a reading", async () => {
  const { texts, write, readings } = await createFixture();
  write("repo/AGENTS.md", "second");
  const all = await Promise.all(Array.from({ length: 100 }, texts));
  expect(all).toEqual(Array.from({ length: 100 }, () => ["second"]));
  expect(readings()).toBe(1);
});

test("changed, new and removed files are read at once", async () => {
  const { root, write, texts, settle: awaitClockTick } = await createFixture();
  write("repo/more.md", "imported");
  expect(await texts()).toEqual(["first @more.md", "imported"]);
  await awaitClockTick();
  write("repo/more.md", "replaced");
  expect(await texts()).toEqual(["first @more.md", "replaced"]);
  await awaitClockTick();
  rmSync(join(root, "repo/AGENTS.md"));
  write("repo/CLAUDE.md", "other");
  expect(await texts()).toEqual(["other"]);
});

test("a change of the same size with an old date is seen", async () => {
  const { root, write, texts } = await createFixture();
  write("repo/AGENTS.md", "FIRST @more.md");
  utimesSync(join(root, "repo/AGENTS.md"), 1, 1);
  expect(await texts()).toEqual(["FIRST @more.md"]);
});
