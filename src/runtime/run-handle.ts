import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import { readOverview } from "../registry/figures/read-overviews.ts";
import type { RunResult } from "../run/result.ts";
import type { RunHandle } from "./cadre.ts";
import { followRun } from "./follow.ts";
import { isTerminal } from "../run/run.ts";
import type { RunOverview } from "../run/figures/run-overview.ts";
import { selectBelow } from "./select-below.ts";
import { findRun, type Store } from "./store.ts";

/** The handle of a run of the registry of `store`, whichever process executes it. */
export function createRunHandle(
  id: string,
  store: Pick<Store, "open">,
  engine: () => Promise<Engine>,
): RunHandle {
  const readState = async (): Promise<RunOverview> =>
    await readOverview(store.open(), await findRun(store.open(), id));

  return {
    id,
    state: readState,
    events: () => followRun(store.open(), id),
    journal: async () => await store.open().events(id),
    async result() {
      const here = await engine();
      if (here.isExecuting(id)) return await here.result(id);
      const ended = await followToEnd(store, id);
      // Journals of earlier versions have other figures.
      return (await readState()).result ?? ended;
    },
    send: async (text) => await (await engine()).send(id, text, "user"),
    async cancel(reason = "cancelled by the user", { keepDetached = false } = {}) {
      const isCancelled = await (await engine()).cancel(id, reason, "user", { keepDetached });
      if (!isCancelled) return false;
      await followToEnd(store, id);
      // Other runs below it ended before it did.
      if (!keepDetached) await followOutliving(store, id);
      return true;
    },
  };
}

/** Waits for the ends of those that were at work below a run when it ended. */
async function followOutliving(store: Pick<Store, "open">, id: string): Promise<void> {
  const run = await findRun(store.open(), id);
  const below = selectBelow(run, await store.open().family(run.rootId));
  const atWork = below.filter(({ status }) => !isTerminal(status));
  await Promise.all(atWork.map((one) => followToEnd(store, one.id)));
}

async function followToEnd(store: Pick<Store, "open">, id: string): Promise<RunResult> {
  for await (const event of followRun(store.open(), id)) {
    if (event.type === "run-finished") return event.result;
  }
  throw new CadreError("run-not-found", `The journal of run ${id} ended without a result.`);
}
