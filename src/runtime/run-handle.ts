import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import type { RunResult } from "../run/result.ts";
import type { RunHandle } from "./cadre.ts";
import { followRun } from "./follow.ts";
import { findRun, type Store } from "./store.ts";

/** The handle of a run of the registry of `store`, whichever process executes it. */
export function createRunHandle(
  id: string,
  store: Pick<Store, "open">,
  engine: () => Promise<Engine>,
): RunHandle {
  return {
    id,
    state: async () => await findRun(store.open(), id),
    events: () => followRun(store.open(), id),
    journal: async () => await store.open().events(id),
    async result() {
      const here = await engine();
      if (here.isExecuting(id)) return await here.result(id);
      return await followToEnd(store, id);
    },
    send: async (text) => await (await engine()).send(id, text, "user"),
    async cancel(reason = "cancelled by the user") {
      const isCancelled = await (await engine()).cancel(id, reason, "user");
      if (isCancelled) await followToEnd(store, id);
      return isCancelled;
    },
  };
}

async function followToEnd(store: Pick<Store, "open">, id: string): Promise<RunResult> {
  for await (const event of followRun(store.open(), id)) {
    if (event.type === "run-finished") return event.result;
  }
  throw new CadreError("run-not-found", `The journal of run ${id} ended without a result.`);
}
