import { expect, test } from "vitest";
import { readWaiting } from "./waiting-family.ts";
import type { SeenWorker, WorkItem } from "./work-table.ts";

const item: WorkItem = {
  rootId: "a",
  attempt: 1,
  label: null,
  setting: {},
  priority: 0,
  startsInMs: null,
  awaits: null,
  worker: null,
  refusals: [],
  waitedMs: 5000,
  isEnded: false,
};

const worker: SeenWorker = {
  id: "w",
  host: "h",
  pid: 1,
  label: null,
  concurrency: 1,
  version: "1",
  isAlive: true,
  silentMs: 20,
};

test("all families that wait for a worker are found with one read of the families and one of the workers", async () => {
  const reads: string[] = [];
  const items = [
    item,
    { ...item, rootId: "b", label: "gpu" },
    { ...item, rootId: "executed", worker: "w" },
    { ...item, rootId: "ended", isEnded: true },
  ];
  const waiting = await readWaiting({
    async items(filter) {
      reads.push(`items ${JSON.stringify(filter)}`);
      return items;
    },
    async workers() {
      reads.push("workers");
      return [worker];
    },
  });
  expect(waiting).toMatchObject([
    { rootId: "a", reason: null },
    { rootId: "b", reason: expect.stringContaining("No worker with the label gpu is alive") },
  ]);
  expect(reads).toEqual(["items {}", "workers"]);
});
