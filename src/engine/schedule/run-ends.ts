import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Run } from "../../run/run.ts";
import { type RunWatch, watchRuns } from "./watch-runs.ts";

/** Reports the ends of runs in any process. A wait costs only a promise. */
export interface RunEnds {
  /**
   * Waits for the end of a run. Call `leave` when the end is no longer needed, even after it has come. `onGone` is called at each
   * check that finds no living process for the run, and no worker that will take it.
   *
   * @throws CadreError (by `ended`) `run-not-found` for a run that is not in the registry, or the failure of the registry.
   */
  listen(runId: string, onGone?: (run: Run) => void): RunEnd;
}

/** A wait for the end of one run. */
export interface RunEnd {
  ended: Promise<RecordedResult>;
  leave: () => void;
}

/** Options of {@link createRunEnds}. */
export interface RunEndsOptions {
  registry: Pick<Registry, "abandoned" | "changed" | "run" | "runs" | "subscribe" | "work">;
  clock: Pick<Clock, "scheduleIdly">;
  /** Reports whether this process executes a run. */
  isExecuting: (runId: string) => boolean;
}

type Listener = PromiseWithResolvers<RecordedResult> & {
  onGone?: ((run: Run) => void) | undefined;
};

/** Creates the process's only listener for ends of runs. */
export function createRunEnds({ registry, clock, isExecuting }: RunEndsOptions): RunEnds {
  const waiting = new Map<string, Set<Listener>>();
  let watching: AbortController | undefined;

  registry.subscribe((event) => {
    if (event.type === "run-finished") resolveListeners(event.runId, event.result);
  });

  function resolveListeners(runId: string, result: RecordedResult): void {
    const listeners = waiting.get(runId);
    if (listeners === undefined) return;
    forget(runId);
    for (const { resolve } of listeners) resolve(result);
  }

  function failAll(error: unknown): void {
    const all = [...waiting.values()];
    waiting.clear();
    watching = undefined;
    for (const listeners of all) for (const { reject } of listeners) reject(error);
  }

  function forget(runId: string): void {
    waiting.delete(runId);
    if (waiting.size > 0) return;
    watching?.abort();
    watching = undefined;
  }

  /** Polls the runs of other processes while a caller waits for one. */
  function watch(): void {
    watching = new AbortController();
    const runs: RunWatch = {
      *runIds() {
        for (const runId of waiting.keys()) if (!isExecuting(runId)) yield runId;
      },
      isWatched: (runId) => waiting.has(runId),
      onEnd: resolveListeners,
      onGone: (run) => waiting.get(run.id)?.forEach((listener) => listener.onGone?.(run)),
    };
    watchRuns({ registry, clock }, runs, watching.signal).catch(failAll);
  }

  /** Runs after the listener is registered, so that no end is missed. */
  async function checkEnded(runId: string, { resolve }: Listener): Promise<void> {
    const result = await readResult(registry, runId);
    if (result !== null) resolve(result);
    else if (watching === undefined && waiting.has(runId) && !isExecuting(runId)) watch();
  }

  return {
    listen(runId, onGone) {
      const listener: Listener = { ...Promise.withResolvers<RecordedResult>(), onGone };
      // The listener may have left.
      listener.promise.catch(() => undefined);
      const listeners = waiting.get(runId) ?? new Set();
      waiting.set(runId, listeners.add(listener));
      checkEnded(runId, listener).catch(listener.reject);
      return {
        ended: listener.promise,
        leave() {
          listeners.delete(listener);
          if (listeners.size === 0 && waiting.get(runId) === listeners) forget(runId);
        },
      };
    },
  };
}

async function readResult(
  registry: Pick<Registry, "run">,
  runId: string,
): Promise<RecordedResult | null> {
  const run = await registry.run(runId);
  if (run === undefined) {
    throw new CadreError("run-not-found", `There is no run ${runId}, or it was deleted.`);
  }
  return run.result;
}
