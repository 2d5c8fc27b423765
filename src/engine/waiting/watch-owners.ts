import type { Clock } from "../../clock.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Run } from "../../run/run.ts";

/** How often it is checked, in milliseconds: a process that is gone changes nothing in the registry that would tell. */
export const ownerCheckMs = 5000;

/** What {@link watchOwners} needs. */
export interface WatchOwnersOptions {
  registry: Pick<Registry, "abandoned" | "run">;
  clock: Pick<Clock, "scheduleIdly">;
  /** The runs to check. */
  runIds: () => Iterable<string>;
  /** Called at each check for each run of which no living process takes care. */
  onGone: (run: Run) => void;
}

/** Checks regularly whether the processes of some runs are alive. Returns the way to stop. */
export function watchOwners({ registry, clock, runIds, onGone }: WatchOwnersOptions): () => void {
  let isStopped = false;
  let stop = clock.scheduleIdly(ownerCheckMs, check);

  async function look(): Promise<void> {
    const abandoned = new Set(await registry.abandoned());
    if (abandoned.size === 0) return;
    for (const id of runIds()) {
      const run = await registry.run(id);
      if (run !== undefined && abandoned.has(run.rootId)) onGone(run);
    }
  }

  function check(): void {
    const again = (): void => {
      if (!isStopped) stop = clock.scheduleIdly(ownerCheckMs, check);
    };
    // A registry that fails is told to those who wait by whoever looks for the ends of the runs.
    look().then(again, again);
  }

  return () => {
    isStopped = true;
    stop();
  };
}
