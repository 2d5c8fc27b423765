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

/** Creates a function that starts a run, or returns the one that has its key and has not ended. */
export function createStartOnce({
  work,
  registry,
  onNote,
}: StartOnceOptions): (given: KeyedStart) => Promise<string> {
  /** Returns the run that has the key and has not ended; else `undefined`, and the run `id` has it from now on. */
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
      onNote(`The run ${same} with this key has not ended. No other one was started.`);
      return same;
    }
    try {
      return await start();
    } catch (error) {
      // The first error says more than one of the same outage. Without a run the key is free after a minute.
      await work.freeKey(id).catch(() => undefined);
      throw error;
    }
  };
}
