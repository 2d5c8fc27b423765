import { setTimeout } from "node:timers/promises";
import type { Cadre } from "../../host.ts";
import { writeError } from "../terminal/output.ts";
import {
  type BackgroundFamily,
  listBackground,
  recordBackground,
  removeBackground,
} from "./background-family.ts";
import { becomeSupervisor } from "./supervisor-record.ts";
import { errorMessage } from "../../error-message.ts";

/** How often the supervisor looks for new families, in milliseconds. */
const pollMs = 200;

/** Options of {@link supervise}. */
export interface SuperviseOptions {
  stateFolder: string;
  /** How long the supervisor waits for a new family before it ends, in milliseconds. */
  idleMs: number;
  /** Ends the supervisor. Its families stay unfinished; the next supervisor continues them. */
  signal: AbortSignal;
}

/** Executes background families until none is left. Ends at once when another supervisor is alive. */
export async function supervise(options: SuperviseOptions): Promise<void> {
  const { stateFolder, signal } = options;
  for (;;) {
    const release = await becomeSupervisor(stateFolder);
    if (release === undefined) return;
    try {
      await executeAll(options);
    } finally {
      await release();
    }
    // A command that recorded a family while this supervisor was ending found the supervisor alive.
    const hasFamily = (await listBackground(stateFolder)).some(
      ({ problem }) => problem === undefined,
    );
    if (signal.aborted || !hasFamily) return;
  }
}

async function executeAll({ stateFolder, idleMs, signal }: SuperviseOptions): Promise<void> {
  const active = new Map<string, Promise<void>>();
  // A recorded problem may be gone: each supervisor tries every family once.
  const tried = new Set<string>();
  for (let idleSince = Date.now(); Date.now() - idleSince < idleMs || active.size > 0;) {
    if (signal.aborted) break;
    for (const family of await listBackground(stateFolder)) {
      const { rootId, problem } = family;
      if (active.has(rootId) || (problem !== undefined && tried.has(rootId))) continue;
      tried.add(rootId);
      const execution = executeFamily(stateFolder, family, signal);
      const ended = execution.catch((error: unknown) => writeError(String(error)));
      active.set(
        rootId,
        ended.finally(() => active.delete(rootId)),
      );
    }
    if (active.size > 0) idleSince = Date.now();
    await setTimeout(pollMs);
  }
  await Promise.all(active.values());
}

/** Executes a family to its end. Records the problem when the family cannot be executed. */
async function executeFamily(
  stateFolder: string,
  family: BackgroundFamily,
  signal: AbortSignal,
): Promise<void> {
  const { rootId, options } = family;
  try {
    const { createCadre } = await import("../../host.ts");
    const cadre = await createCadre({
      telemetry: "environment",
      ...options,
      registry: stateFolder,
      engine: "local",
      onApproval: "wait",
    });
    const stop = (): void => void cadre.close({ leaveRuns: true });
    signal.addEventListener("abort", stop, { once: true });
    // The signal may have aborted while Cadre was created.
    if (signal.aborted) stop();
    try {
      await resume(cadre, rootId);
      await cadre.idle();
    } finally {
      signal.removeEventListener("abort", stop);
      await cadre.close({ leaveRuns: signal.aborted });
    }
    if (!signal.aborted) await removeBackground(stateFolder, rootId);
  } catch (error) {
    if (signal.aborted) return;
    if (codeOf(error) === "run-not-found") return await removeBackground(stateFolder, rootId);
    const problem = errorMessage(error);
    writeError(`${new Date().toISOString()} ${rootId}: ${problem}`);
    await recordBackground(stateFolder, { ...family, problem });
  }
}

/** Continues a family and waits for its end. The command that created it, or another process, may own it. */
async function resume(cadre: Cadre, rootId: string): Promise<void> {
  try {
    await cadre.resume(rootId);
  } catch (error) {
    if (codeOf(error) !== "run-owned") throw error;
    const run = await cadre.find(rootId);
    const isFree = async (): Promise<boolean> => (await cadre.resumable()).includes(rootId);
    while ((await run.state()).result === null && !(await isFree())) await setTimeout(pollMs);
    if ((await run.state()).result === null) return await resume(cadre, rootId);
  }
  await (await cadre.find(rootId)).result();
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
