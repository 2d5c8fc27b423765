import type { QueueTask } from "../engine/dispatch/dispatcher.ts";
import { CadreError, type CadreErrorCode } from "../errors.ts";
import type { WorkTable } from "../registry/work-table.ts";
import type { Cadre } from "../runtime/cadre.ts";
import type { CadrePool } from "./cadre-pool.ts";
import { readSetting } from "./read-setting.ts";

/** What {@link executeFamily} needs. */
export interface FamilyPlace {
  work: WorkTable;
  cadres: CadrePool;
  workerId: string;
}

/** How the execution of a family ended. */
export type Outcome =
  /** All its runs have ended. */
  | { kind: "ended" }
  /** Another process executes it, or another worker took the attempt. */
  | { kind: "owned" }
  /** This worker cannot execute it. */
  | { kind: "refused"; reason: string }
  /** It goes on elsewhere: this worker leaves, or lost its registry. */
  | { kind: "left"; reason: string };

/** Errors after which another attempt may succeed, also of the same worker. */
const passing: ReadonlySet<CadreErrorCode> = new Set([
  "lease-lost",
  "closed",
  "registry-unavailable",
]);

/** Takes a family and executes it to the end of its last run. Rejects when the work table cannot be reached. */
export async function executeFamily(
  { work, cadres, workerId }: FamilyPlace,
  { rootId, attempt }: QueueTask,
): Promise<Outcome> {
  const item = await work.take(rootId, attempt, workerId);
  if (item === undefined) return { kind: "owned" };
  const earlier = item.refusals.find(({ worker }) => worker === workerId);
  try {
    if (earlier !== undefined) throw new CadreError("config-invalid", earlier.reason);
    if (!item.isEnded) await cadres.use(readSetting(item), (cadre) => execute(cadre, rootId));
    await work.remove(rootId);
    return { kind: "ended" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof CadreError ? error.code : undefined;
    if (code === "run-owned") return { kind: "owned" };
    if (code !== undefined && passing.has(code)) return { kind: "left", reason };
    if (earlier === undefined) await work.refuse(rootId, attempt, { worker: workerId, reason });
    return { kind: "refused", reason };
  }
}

/** Continues a family from its journal, and waits for the end of all its runs, also of those that outlive the root. */
async function execute(cadre: Cadre, rootId: string): Promise<void> {
  await cadre.resume(rootId, { dependents: false });
  for (;;) {
    const left = (await cadre.tree(rootId)).filter(({ result }) => result === null);
    if (left.length === 0) return;
    for (const { id } of left) await (await cadre.find(id)).result();
  }
}
