import type { Clock } from "../../clock.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";
import type { Registry } from "../../registry/registry.ts";
import { type RecordedResult, terminalStatuses } from "../../run/result.ts";
import type { Run } from "../../run/run.ts";

/**
 * How often owners are checked, in milliseconds. Polling is needed because the death of a process changes nothing in the
 * registry.
 */
export const ownerCheckMs = 5000;

/** Where runs are watched. */
export interface WatchRunsOptions {
  registry: Pick<Registry, "abandoned" | "changed" | "run" | "runs" | "work">;
  clock: Pick<Clock, "scheduleIdly">;
}

/** Runs of other processes to watch, and the listeners. */
export interface RunWatch {
  runIds: () => Iterable<string>;
  isWatched: (runId: string) => boolean;
  onEnd: (runId: string, result: RecordedResult) => void;
  /** Called at each check for each run without a living owner and without a worker that will take it. */
  onGone: (run: Run) => void;
}

/** Watches runs of other processes until `signal` aborts. @throws CadreError when the registry fails. */
export async function watchRuns(
  options: WatchRunsOptions,
  watch: RunWatch,
  signal: AbortSignal,
): Promise<void> {
  const { registry } = options;
  const stop = watchOwners(options, watch);
  try {
    while (!signal.aborted) {
      // Subscribe before reading, so that no change in between is missed.
      const change = registry.changed(signal, watch.isWatched);
      change.catch(() => undefined);
      const ids = [...watch.runIds()];
      const ended = await registry.runs({ ids, status: terminalStatuses, limit: ids.length });
      for (const { id, result } of ended) if (result !== null) watch.onEnd(id, result);
      await change;
    }
  } finally {
    stop();
  }
}

function watchOwners(
  { registry, clock }: WatchRunsOptions,
  { runIds, onGone }: RunWatch,
): () => void {
  let isStopped = false;
  let stop = clock.scheduleIdly(ownerCheckMs, check);

  async function reportGone(): Promise<void> {
    const left = new Set(await findAbandoned(registry));
    if (left.size === 0) return;
    for (const id of runIds()) {
      const run = await registry.run(id);
      if (run !== undefined && left.has(run.rootId)) onGone(run);
    }
  }

  function check(): void {
    const again = (): void => {
      if (!isStopped) stop = clock.scheduleIdly(ownerCheckMs, check);
    };
    // A failing registry ends the watch in any case.
    reportGone().then(again, again);
  }

  return () => {
    isStopped = true;
    stop();
  };
}
