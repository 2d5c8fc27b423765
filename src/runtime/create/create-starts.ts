import { errorMessage } from "../../error-message.ts";
import { CadreError } from "../../errors.ts";
import type { Cadre } from "../cadre.ts";
import type { RunHandle } from "../run-handle.ts";
import type { Services } from "../services/services.ts";
import type { LazyServices } from "../services/lazy-services.ts";
import { createRunHandle, type RunHandleOptions } from "./run-handle.ts";

/** Creates the start of runs of one Cadre. */
export function createStarts(
  services: Pick<LazyServices, "getToExecute">,
  options: RunHandleOptions,
): Pick<Cadre, "spawn" | "run"> & Pick<RunHandleOptions, "continueRun"> {
  async function begin<Output>(
    given: AbortSignal | undefined,
    start: (from: Services) => Promise<string>,
  ): Promise<RunHandle<Output>> {
    const signal = readSignal(given);
    signal?.throwIfAborted();
    const from = await services.getToExecute();
    signal?.throwIfAborted();
    const run = createRunHandle<Output>(await start(from), options);
    if (signal !== undefined) cancelOnAbort(run, signal);
    return run;
  }

  const spawn: Cadre["spawn"] = async (request) =>
    await begin(request?.signal, ({ start }) => start(request));
  return {
    spawn,
    run: async (request) => await (await spawn(request)).result(),
    async continueRun(id, request) {
      const asked = typeof request === "string" ? { task: request } : request;
      return await begin(asked?.signal, ({ continueRun }) => continueRun(id, asked));
    },
  };
}

/** Checks only the signal; the rest of the request is checked when the run starts. Callers without a compiler may pass anything. */
function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new CadreError("invalid-argument", "Expected `signal` to be an AbortSignal.");
}

/** Cancels the run when `signal` aborts before its end. A failure of the registry is reported to those who wait for the run. */
function cancelOnAbort(run: RunHandle, signal: AbortSignal): void {
  const cancel = (): void => {
    run.cancel(`cancelled by the caller: ${errorMessage(signal.reason)}`).catch(() => undefined);
  };
  if (signal.aborted) return cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const leave = (): void => signal.removeEventListener("abort", cancel);
  run.result().then(leave, leave);
}
