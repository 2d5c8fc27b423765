import type { RunEvent } from "../run/event.ts";
import type { TraceExportOptions } from "./trace-export-options.ts";

/**
 * Returns the traces of runs as OTLP in JSON, with a request of at most 1,000 spans on each line. Each journal is that of one run from
 * its beginning; a run comes after its parent. Spans have the same ids as in an export during the execution.
 */
export async function exportTraces(
  journals: readonly (readonly RunEvent[])[],
  options: TraceExportOptions,
): Promise<string> {
  const { replayJournals } = await import("./replay-journals.ts");
  return replayJournals(journals, options);
}
