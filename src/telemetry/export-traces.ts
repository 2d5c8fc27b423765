import type { RunEvent } from "../run/event.ts";
import type { TraceExportOptions } from "./trace-export-options.ts";

/**
 * Returns the traces of runs as OTLP in JSON: a request of at most 1,000 spans on each line. A journal is that of one run, from its
 * beginning; a run comes after its parent. Spans have the ids that an export during the execution gives them.
 */
export async function exportTraces(
  journals: readonly (readonly RunEvent[])[],
  options: TraceExportOptions,
): Promise<string> {
  const { replayJournals } = await import("./replay-journals.ts");
  return replayJournals(journals, options);
}
