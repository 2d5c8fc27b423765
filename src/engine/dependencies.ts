import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { RunSpec } from "../run/run.ts";
import { orAbort } from "../source/or-abort.ts";
import { RunFailed } from "./to-failure.ts";

/** Waits for the ends of runs, wherever they execute, at no cost while nothing ends. */
export interface Dependencies {
  /**
   * Resolves when everything `spec` depends on has ended; rejects when `signal` aborts.
   *
   * @throws RunFailed `dependency-failed` as soon as one did not succeed, unless the run wants to run all the same;
   * `dependency-not-found` when one is not in the registry any more.
   */
  settle(spec: RunSpec, signal: AbortSignal): Promise<void>;
}

/** What {@link createDependencies} needs. */
export interface DependenciesOptions {
  registry: Registry;
  /** Whether this process executes the run. */
  isExecuting: (runId: string) => boolean;
}

/** The dependencies of the runs of one process. */
export function createDependencies(options: DependenciesOptions): Dependencies {
  const listening = createListening(options);
  return {
    async settle({ dependsOn, onDependencyError }, signal) {
      const leaving: (() => void)[] = [];
      const check = async (runId: string): Promise<void> => {
        const result = await listening.endOf(runId, (leave) => void leaving.push(leave));
        if (onDependencyError !== "run" && result.failure !== undefined) throw failed(result);
      };
      try {
        await orAbort(Promise.all(dependsOn.map(check)), signal);
      } finally {
        for (const leave of leaving) leave();
      }
    },
  };
}

/** Hears how runs end. */
interface Listening {
  /** How the run ended, or ends; `onListening` is told how to stop waiting for that. */
  endOf(runId: string, onListening: (stop: () => void) => void): Promise<RunResult>;
}

function createListening({ registry, isExecuting }: DependenciesOptions): Listening {
  const waiting = new Map<string, Set<PromiseWithResolvers<RunResult>>>();
  let watching: AbortController | undefined;

  registry.subscribe((event) => {
    if (event.type === "run-finished") tell(event.runId, event.result);
  });

  function tell(runId: string, result: RunResult): void {
    const listeners = waiting.get(runId);
    if (listeners === undefined) return;
    forget(runId);
    for (const { resolve } of listeners) resolve(result);
  }

  /** Nobody can tell them any more. */
  function failAll(error: unknown): void {
    const listeners = [...waiting.values()].flatMap((some) => [...some]);
    waiting.clear();
    watching = undefined;
    for (const { reject } of listeners) reject(error);
  }

  function forget(runId: string): void {
    waiting.delete(runId);
    if (waiting.size > 0) return;
    watching?.abort();
    watching = undefined;
  }

  /** Looks for the ends of runs of other processes, as long as somebody waits for one. */
  async function watch({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      // Before the look: what changes during it is seen by the next one.
      const change = registry.changed(signal);
      change.catch(() => undefined);
      for (const runId of waiting.keys()) {
        if (isExecuting(runId)) continue;
        const run = await registry.run(runId);
        if (run?.result) tell(runId, run.result);
      }
      await change;
    }
  }

  return {
    async endOf(runId, onListening) {
      const end = Promise.withResolvers<RunResult>();
      // Who listens may be looking at the registry still.
      end.promise.catch(() => undefined);
      const listeners = waiting.get(runId) ?? new Set();
      waiting.set(runId, listeners.add(end));
      onListening(() => {
        listeners.delete(end);
        if (listeners.size === 0 && waiting.get(runId) === listeners) forget(runId);
      });
      // After the ear is open: an end in between is heard.
      const run = await registry.run(runId);
      if (run === undefined) throw notFound(runId);
      if (run.result !== null) return run.result;
      if (watching === undefined && waiting.has(runId) && !isExecuting(runId)) {
        watching = new AbortController();
        watch(watching).catch(failAll);
      }
      return await end.promise;
    },
  };
}

function failed({ runId, status, failure }: RunResult): RunFailed {
  return new RunFailed({
    code: "dependency-failed",
    message: `It depends on run ${runId}, which ended ${status}: ${failure?.message ?? "no reason was given"}`,
    details: { runId, status },
    ...(failure !== undefined && { cause: failure }),
  });
}

function notFound(runId: string): RunFailed {
  const message = `It depends on run ${runId}, which is not in the registry (any more).`;
  return new RunFailed({ code: "dependency-not-found", message, details: { runId } });
}
