import type { Clock } from "../../clock.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunResult } from "../../run/result.ts";
import type { Run } from "../../run/run.ts";

/** How often processes are checked, in milliseconds: one that is gone changes nothing in the registry that would tell. */
export const ownerCheckMs = 5000;

/** Where runs are watched. */
export interface WatchPlace {
  registry: Pick<Registry, "abandoned" | "changed" | "run">;
  clock: Pick<Clock, "scheduleIdly">;
}

/** Runs of other processes, and who hears of them. */
export interface RunWatch {
  runIds: () => Iterable<string>;
  onEnd: (runId: string, result: RunResult) => void;
  /** Called at each check for each run of which no living process takes care. */
  onGone: (run: Run) => void;
}

/** Watches runs of other processes until `signal` aborts. @throws CadreError when the registry fails. */
export async function watchRuns(
  place: WatchPlace,
  watch: RunWatch,
  signal: AbortSignal,
): Promise<void> {
  const { registry } = place;
  const stop = watchOwners(place, watch);
  try {
    while (!signal.aborted) {
      // Before the look: what changes during it is seen by the next one.
      const change = registry.changed(signal);
      change.catch(() => undefined);
      for (const runId of watch.runIds()) {
        const run = await registry.run(runId);
        if (run?.result) watch.onEnd(runId, run.result);
      }
      await change;
    }
  } finally {
    stop();
  }
}

function watchOwners({ registry, clock }: WatchPlace, { runIds, onGone }: RunWatch): () => void {
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
    // A registry that fails ends the watch anyway.
    look().then(again, again);
  }

  return () => {
    isStopped = true;
    stop();
  };
}
