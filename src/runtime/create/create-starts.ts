import { CadreError } from "../../errors.ts";
import type { Cadre } from "../cadre.ts";
import type { RunHandle } from "../run-handle.ts";
import type { SpawnOptions } from "../spawn-options.ts";
import type { LazyServices } from "./lazy-services.ts";
import { createRunHandle, type RunHandleOptions } from "./run-handle.ts";

/** Creates the start of runs of one Cadre. */
export function createStarts(
  services: Pick<LazyServices, "getToExecute">,
  options: RunHandleOptions,
): Pick<Cadre, "spawn" | "run"> {
  async function spawn<Output>(request: SpawnOptions<Output>): Promise<RunHandle<Output>> {
    const signal = readSignal(request);
    signal?.throwIfAborted();
    const { start } = await services.getToExecute();
    signal?.throwIfAborted();
    const run = createRunHandle<Output>(await start(request), options);
    if (signal !== undefined) cancelOnAbort(run, signal);
    return run;
  }

  return { spawn, run: async (request) => await (await spawn(request)).result() };
}

/** The rest of a request is checked when it is started. Programs without a compiler may pass anything. */
function readSignal(request: Pick<SpawnOptions, "signal"> | undefined): AbortSignal | undefined {
  const signal: unknown = request?.signal;
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new CadreError("invalid-argument", "Expected `signal` to be an AbortSignal.");
}

/** Cancels the run when `signal` aborts before its end. Whoever waits for the run learns of a failing registry. */
function cancelOnAbort(run: RunHandle, signal: AbortSignal): void {
  const cancel = (): void => {
    run.cancel(`cancelled by the caller: ${describeReason(signal.reason)}`).catch(() => undefined);
  };
  if (signal.aborted) return cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const leave = (): void => signal.removeEventListener("abort", cancel);
  run.result().then(leave, leave);
}

function describeReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
