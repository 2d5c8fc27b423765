import type { Clock } from "../clock.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { Run, RunSpec } from "../run/run.ts";
import { orAbort } from "../source/or-abort.ts";
import { RunFailed } from "./to-failure.ts";
import { type RunWatch, watchRuns } from "./waiting/watch-runs.ts";

/** Waits for the ends of runs, wherever they execute, at no cost while nothing ends. */
export interface Dependencies {
  /**
   * Resolves when everything `spec` depends on has ended; rejects when `signal` aborts. `onGone` hears once of each run whose
   * process is gone, so that nobody brings it to its end.
   *
   * @throws RunFailed `dependency-failed` as soon as one did not succeed, unless the run wants to run all the same;
   * `dependency-not-found` when one is not in the registry any more.
   */
  settle(
    spec: Pick<RunSpec, "dependsOn" | "onDependencyError">,
    signal: AbortSignal,
    onGone?: (run: Run) => void,
  ): Promise<void>;
}

/** What {@link createDependencies} needs. */
export interface DependenciesOptions {
  registry: Registry;
  clock: Pick<Clock, "scheduleIdly">;
  /** Whether this process executes the run. */
  isExecuting: (runId: string) => boolean;
}

/** The dependencies of the runs of one process. */
export function createDependencies(options: DependenciesOptions): Dependencies {
  const listening = createListening(options);
  return {
    async settle({ dependsOn, onDependencyError }, signal, onGone = () => undefined) {
      const leaving: (() => void)[] = [];
      const check = async (runId: string): Promise<void> => {
        const result = await listening.endOf(runId, {
          onListening: (leave) => void leaving.push(leave),
          onGone: callOnce(onGone),
        });
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

function callOnce<Value>(action: (value: Value) => void): (value: Value) => void {
  let isDone = false;
  return (value) => {
    if (!isDone) action(value);
    isDone = true;
  };
}

/** Hears how runs end. */
interface Listening {
  /** How the run ended, or ends. */
  endOf(runId: string, listener: EndListener): Promise<RunResult>;
}

/** What else is told to whoever waits for the end of a run. */
interface EndListener {
  /** Called at once, with the way to stop waiting. */
  onListening: (stop: () => void) => void;
  /** Called at each check as long as the process of the run is gone. */
  onGone: (run: Run) => void;
}

type Listener = PromiseWithResolvers<RunResult> & Pick<EndListener, "onGone">;

function createListening({ registry, clock, isExecuting }: DependenciesOptions): Listening {
  const waiting = new Map<string, Set<Listener>>();
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

  /** Watches the runs of other processes, as long as somebody waits for one. */
  function watch(): void {
    watching = new AbortController();
    const runs: RunWatch = {
      *runIds() {
        for (const runId of waiting.keys()) if (!isExecuting(runId)) yield runId;
      },
      onEnd: tell,
      onGone: (run) => waiting.get(run.id)?.forEach((listener) => listener.onGone(run)),
    };
    watchRuns({ registry, clock }, runs, watching.signal).catch(failAll);
  }

  return {
    async endOf(runId, { onListening, onGone }) {
      const end: Listener = { ...Promise.withResolvers<RunResult>(), onGone };
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
      if (watching === undefined && waiting.has(runId) && !isExecuting(runId)) watch();
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
