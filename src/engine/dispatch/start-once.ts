import { setTimeout as delay } from "node:timers/promises";
import type { Registry } from "../../registry/registry.ts";
import type { WorkTable } from "../../registry/work-table.ts";

/** Options of {@link createStartOnce}. */
export interface StartOnceOptions {
  work: Pick<WorkTable, "holdKey" | "freeKey">;
  registry: Pick<Registry, "run">;
  onNote: (line: string) => void;
}

/** A start of the run `id`, for at most one run with the key at a time. */
export interface KeyedStart {
  key: string | undefined;
  id: string;
  start: () => Promise<string>;
}

/** How often to look for a run that another process records, in milliseconds. */
const recordingMs = 100;

/** Creates a function that starts a run, or returns the unfinished run with the same key. */
export function createStartOnce({
  work,
  registry,
  onNote,
}: StartOnceOptions): (given: KeyedStart) => Promise<string> {
  /** Returns the unfinished run with the key. If there is none, gives the key to the run `id` and returns `undefined`. */
  async function findByKey(key: string, id: string): Promise<string | undefined> {
    for (;;) {
      const holder = await work.holdKey(key, id);
      if (holder === undefined || (await registry.run(holder)) !== undefined) return holder;
      // Another process is recording it.
      await delay(recordingMs);
    }
  }

  return async ({ key, id, start }) => {
    if (key === undefined) return await start();
    const same = await findByKey(key, id);
    if (same !== undefined) {
      onNote(`The run ${same} with this key has not ended. No other run was started.`);
      return same;
    }
    try {
      return await start();
    } catch (error) {
      // The first error says more than a second one from the same outage. A key without a run becomes free after a minute.
      await work.freeKey(id).catch(() => undefined);
      throw error;
    }
  };
}
