import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { RunHandle } from "./cadre.ts";
import { followRun } from "./follow.ts";
import { findRun } from "./store.ts";

/** The handle of a run of `registry`, whichever process executes it. */
export function createRunHandle(
  id: string,
  registry: Registry,
  engine: () => Promise<Engine>,
): RunHandle {
  return {
    id,
    state: async () => await findRun(registry, id),
    events: () => followRun(registry, id),
    journal: async () => await registry.events(id),
    async result() {
      const here = await engine();
      if (here.isExecuting(id)) return await here.result(id);
      return await followToEnd(registry, id);
    },
    send: async (text) => await (await engine()).send(id, text, "user"),
    async cancel(reason = "cancelled by the user") {
      const isCancelled = await (await engine()).cancel(id, reason, "user");
      if (isCancelled) await followToEnd(registry, id);
      return isCancelled;
    },
  };
}

async function followToEnd(registry: Registry, id: string): Promise<RunResult> {
  for await (const event of followRun(registry, id)) {
    if (event.type === "run-finished") return event.result;
  }
  throw new CadreError("run-not-found", `The journal of run ${id} ended without a result.`);
}
