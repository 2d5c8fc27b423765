import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import { findLatestTurn } from "../../registry/find-latest-turn.ts";
import type { WorkTable } from "../../registry/work-table.ts";
import type { SpawnRequest } from "../engine.ts";

/** Services of {@link continueOnce}. */
export interface ContinuationServices {
  work: Pick<WorkTable, "holdKey" | "freeKey">;
  registry: Pick<Registry, "run" | "madeFrom">;
}

/**
 * Starts a run as the only current continuation of its conversation, across all processes. The check before the request is
 * resolved cannot ensure this, because recording files and asking the queue take time before the run is recorded.
 *
 * @throws CadreError `invalid-argument` when another run continues the conversation.
 */
export async function continueOnce(
  { work, registry }: ContinuationServices,
  { id, continues }: SpawnRequest,
  start: () => Promise<string>,
): Promise<string> {
  if (continues === undefined) return await start();
  const holder = await work.holdKey(`continues ${continues}`, id);
  if (holder !== undefined) throw isAtWork(holder);
  try {
    const before = await registry.run(continues);
    // The other run may have ended since the check.
    const latest = before && (await findLatestTurn(registry, before));
    if (latest !== undefined && latest.id !== continues) throw isAtWork(latest.id);
    return await start();
  } catch (error) {
    // The first error says more than a second one from the same outage. A key without a run becomes free after a minute.
    await work.freeKey(id).catch(() => undefined);
    throw error;
  }
}

function isAtWork(runId: string): CadreError {
  const message = `The conversation continues with run ${runId}, which was started meanwhile and is active. Send it a message with \`cadre send ${runId} TEXT\`, or continue the conversation when it has ended.`;
  return new CadreError("invalid-argument", message, { details: { runId } });
}
