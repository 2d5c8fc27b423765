/** Runs of a command, in this process or on workers. */

import type { Cadre, CadreOptions, DbosOptions, RunHandle } from "../../host.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { cancelledExit } from "../error/exit-code.ts";
import { type ConductRequest, conductRuns } from "../run/conduct-runs.ts";
import { openCadre } from "../run/open-cadre.ts";
import { createDisplay, reportResults, worstOf } from "../run/show-results.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { listenForInterrupts } from "../terminal/interrupts.ts";
import { writeError } from "../terminal/output.ts";

/** Options of {@link startRuns}. */
export interface StartRequest extends ConductRequest {
  /** Which workers execute the runs and how files reach them. */
  dbosOptions?: DbosOptions;
  /** The given flag that applies only to runs of workers. */
  workerFlag?: string | undefined;
}

/**
 * Starts runs and shows them until they have ended. This process executes them, or workers do when the setting `engine` says so.
 * Returns the exit code.
 *
 * @throws UsageError for a worker flag when this process executes the runs.
 */
export async function startRuns({
  dbosOptions = {},
  workerFlag,
  ...request
}: StartRequest): Promise<number> {
  return await conductRuns({
    ...request,
    instead(engine) {
      if (engine === "dbos") return () => submitRuns(request, dbosOptions);
      if (workerFlag === undefined) return undefined;
      throw new UsageError(
        `Expected ${workerFlag} together with --detach, or with the setting \`engine: dbos\`: it applies only to runs of workers.`,
      );
    },
  });
}

/** Gives runs to workers and follows them. Ctrl-C cancels them. */
async function submitRuns(request: ConductRequest, dbosOptions: DbosOptions): Promise<number> {
  const { show, options } = request;
  const cadre = await openSubmitting(options, dbosOptions);
  const display = await createDisplay(show, process.stderr.isTTY && show.events !== true);
  const cancelled = new AbortController();
  let handles: RunHandle[] = [];
  const cancelAll = (): void => {
    for (const handle of handles) handle.cancel("cancelled by the user").catch(() => undefined);
  };
  const interrupts = listenForInterrupts({
    onFirst() {
      display.note("Cancelling; Ctrl-C again leaves the runs to the workers.");
      cancelled.abort();
      cancelAll();
    },
    onSecond: () => process.exit(cancelledExit),
  });
  try {
    handles = await request.begin(cadre, (line) => display.note(line));
    if (cancelled.signal.aborted) cancelAll();
    const { watchRun } = await import("../background/watch-run.ts");
    const stop = new AbortController();
    const watch = { display, stop, asks: true, fromStart: true, onInterrupt: interrupts.press };
    await Promise.all(
      handles.map(async (handle) => await watchRun(cadre, { ...watch, run: await handle.state() })),
    );
    const results = await Promise.all(handles.map(async (handle) => await handle.result()));
    await display.stop();
    await reportResults(cadre, results, request);
    return worstOf(results);
  } finally {
    await display.stop();
    await cadre.close({ leaveRuns: true });
    interrupts.stop();
  }
}

/** Opens Cadre for a command whose runs workers execute. */
export async function openSubmitting(
  options: CadreOptions,
  dbosOptions: DbosOptions,
): Promise<Cadre> {
  const { dbos } = await import("../../host.ts");
  const engine = dbos({ ...dbosOptions, onNote: (line) => writeError(cleanLine(line)) });
  // A worker asks the questions; they wait for `cadre answer`.
  const { onApproval: _, ...given } = options;
  return await openCadre({ ...given, engine });
}
