import type { QueueTask } from "../engine/dispatch/dispatcher.ts";
import { CadreError, type CadreErrorCode } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { isDamage } from "../registry/damaged-content.ts";
import type { Registry } from "../registry/registry.ts";
import type { WorkItem, WorkTable } from "../registry/work-table.ts";
import type { Cadre } from "../runtime/cadre.ts";
import type { CadrePool } from "./cadre-pool.ts";
import { findAwaited } from "./find-awaited.ts";
import {
  executeInCheckout,
  type FamilyFilesOptions,
  settleFiles,
} from "./files/execute-in-checkout.ts";
import { readRecordedFiles } from "../registry/recorded-files.ts";
import { readSetting } from "./read-setting.ts";
import { errorMessage } from "../error-message.ts";

/** Options of {@link executeFamily}. */
export interface FamilyOptions {
  registry: Registry;
  work: WorkTable;
  cadres: CadrePool;
  workerId: string;
  /** The checkouts of families whose files come through git. */
  files: FamilyFilesOptions;
}

/** How the execution of a family ended. */
export type Outcome =
  /** All its runs have ended. */
  | { kind: "ended"; left?: string }
  /** Another worker took the attempt. */
  | { kind: "taken" }
  /** Another process owns its runs: it executes them, or its lease has not expired. */
  | { kind: "owned" }
  /** It waits outside the queue until a run that it depends on has ended. */
  | { kind: "held" }
  /** This worker cannot execute it. */
  | { kind: "refused"; reason: string }
  /** Another worker continues it: this one stops, or lost its registry. */
  | { kind: "left"; reason: string };

/** Errors after which another attempt, even by the same worker, may succeed. */
const passing: ReadonlySet<CadreErrorCode> = new Set([
  "lease-lost",
  "closed",
  "registry-unavailable",
]);

/** Takes a family and executes it to the end of its last run. Rejects when the work table cannot be reached. */
export async function executeFamily(
  options: FamilyOptions,
  { rootId, attempt }: QueueTask,
): Promise<Outcome> {
  const { work, workerId } = options;
  const item = await work.take(rootId, attempt, workerId);
  if (item === undefined) return { kind: "taken" };
  const earlier = item.refusals.find(({ worker }) => worker === workerId);
  try {
    if (earlier !== undefined) throw new CadreError("config-invalid", earlier.reason);
    if (item.isEnded) return await settleEnded(options, item);
    const awaited = await findAwaited(options.registry, item);
    if (awaited.length > 0) {
      await work.hold(rootId, attempt, { worker: workerId, awaits: awaited });
      return { kind: "held" };
    }
    await executeItem(options, item);
    await work.remove(rootId);
    return { kind: "ended" };
  } catch (error) {
    const reason = errorMessage(error);
    const code = error instanceof CadreError ? error.code : undefined;
    if (code === "run-owned") return { kind: "owned" };
    if (code !== undefined && passing.has(code) && !isDamage(error))
      return { kind: "left", reason };
    if (earlier === undefined) await work.refuse(rootId, attempt, { worker: workerId, reason });
    return { kind: "refused", reason };
  }
}

/** Removes a family whose worker was killed at its end, or that was cancelled while it waited. */
async function settleEnded(
  { registry, work, files: options }: FamilyOptions,
  { rootId, attempt }: WorkItem,
): Promise<Outcome> {
  let left: string | undefined;
  try {
    const files = await readRecordedFiles(registry, rootId);
    if (files !== undefined) await settleFiles(options, { files, attempt, registry });
  } catch (error) {
    left = errorMessage(error);
  }
  await work.remove(rootId);
  return { kind: "ended", ...omitUndefined({ left }) };
}

/** Executes a family in the folder of its setting, or in a checkout of its files. */
async function executeItem(
  { registry, cadres, files: options }: FamilyOptions,
  item: WorkItem,
): Promise<void> {
  const { rootId, attempt } = item;
  const setting = readSetting(item);
  const execute = async (cadre: Cadre): Promise<void> => await continueFamily(cadre, rootId);
  const files = await readRecordedFiles(registry, rootId);
  if (files === undefined) return await cadres.use(setting, execute);
  await executeInCheckout(options, {
    files,
    attempt,
    setting,
    registry,
    withCadre: cadres.useAlone,
    execute,
  });
}

/** Continues a family from its journal, and waits for the end of all its runs, including those that outlive the root. */
async function continueFamily(cadre: Cadre, rootId: string): Promise<void> {
  await cadre.resume(rootId, { others: false });
  await (await cadre.find(rootId)).result();
  for (;;) {
    const left = (await cadre.tree(rootId)).filter(({ result }) => result === null);
    if (left.length === 0) return;
    for (const { id } of left) await (await cadre.find(id)).result();
  }
}
