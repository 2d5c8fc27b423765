import { createDueRows } from "../journal/due-rows.ts";
import type { JournalItem } from "../journal/journal.ts";
import { leaseLost } from "../journal/lease-lost.ts";
import { codeOf } from "./connection/postgres-error.ts";
import type { Database } from "./connection/database.ts";
import { createGroupStatements } from "./group-statements.ts";

/** Writes groups of items, each with one statement. */
export interface GroupWriter {
  /**
   * Writes `items`, all or none. Retries while the server is unreachable.
   *
   * @throws CadreError `lease-lost` when `ownerId` is no longer in the list of owners.
   */
  write(items: readonly JournalItem[]): Promise<void>;
  /** The position of the last event that this process wrote; 0 = none. */
  lastPosition(): number;
}

/** Creates a {@link GroupWriter} for the owner `ownerId`. */
export function createGroupWriter(
  database: Pick<Database, "query">,
  { schema, ownerId }: { schema: string; ownerId: string },
): GroupWriter {
  const toStatement = createGroupStatements(schema);
  const selectRows = createDueRows();
  let lastPosition = 0;

  return {
    async write(items) {
      const { name, text, values } = toStatement(items, selectRows(items));
      try {
        const [row] = await database.query(text, [ownerId, ...values], { name, isGated: false });
        if (row?.["mine"] !== true) throw leaseLost();
        lastPosition = Number(row["position"] ?? lastPosition);
      } catch (error) {
        // The connection broke after the group was written, and the group was sent again.
        if (!isDuplicate(error) || !(await isWritten(items))) throw error;
      }
    },
    lastPosition: () => lastPosition,
  };

  async function isWritten(items: readonly JournalItem[]): Promise<boolean> {
    const event = items.flatMap((item) => ("event" in item ? item.event : [])).at(-1);
    const [row] = await database.query(
      `SELECT EXISTS (SELECT FROM ${schema}.owners WHERE id = $1) AS mine,
          EXISTS (SELECT FROM ${schema}.events WHERE run_id = $2 AND seq = $3) AS written`,
      [ownerId, event?.runId ?? "", event?.seq ?? 0],
      { isGated: false },
    );
    // Otherwise another process wrote the events with these numbers.
    if (row?.["mine"] !== true) throw leaseLost();
    return row["written"] === true;
  }
}

function isDuplicate(error: unknown): boolean {
  return codeOf((error as { cause?: unknown }).cause) === "23505";
}
