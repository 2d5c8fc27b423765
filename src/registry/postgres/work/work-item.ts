import type { JsonObject } from "../../../source/json.ts";
import { DamagedContent } from "../../damaged-content.ts";
import type { Refusal, WorkItem } from "../../work-table.ts";
import type { Row } from "../connection/connections.ts";

/** The columns that {@link readWorkItem} reads. */
export function workColumns(s: string): string {
  return `root_id, attempt, label, setting, priority, worker, refusals, awaits,
    extract(epoch FROM start_at - clock_timestamp())::float8 * 1000 AS starts_in_ms,
    extract(epoch FROM clock_timestamp() - since)::float8 * 1000 AS waited_ms,
    NOT EXISTS (SELECT FROM ${s}.runs AS run WHERE run.root_id = work.root_id AND run.ended_at IS NULL) AS is_ended`;
}

/** Reads a row of the work table. */
export function readWorkItem(row: Row): WorkItem {
  return {
    rootId: String(row["root_id"]),
    attempt: Number(row["attempt"]),
    label: readOptionalText(row["label"]),
    setting: parse(row["setting"]) as JsonObject,
    priority: Number(row["priority"]),
    startsInMs: typeof row["starts_in_ms"] === "number" ? row["starts_in_ms"] : null,
    awaits: Array.isArray(row["awaits"]) ? row["awaits"].map(String) : null,
    worker: readOptionalText(row["worker"]),
    refusals: parse(row["refusals"]) as Refusal[],
    waitedMs: Number(row["waited_ms"]),
    isEnded: row["is_ended"] === true,
  };
}

/** Reads a column that may be null. */
export function readOptionalText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    throw new DamagedContent("a family in the work table");
  }
}
