import type { Cadre } from "../../host.ts";
import { type ExportOptions, readFamily } from "./read-family.ts";
import { type ExportFormat, renderExport } from "./render-export.ts";

/** Exports a run and its descendants as one text. @throws CadreError `run-not-found`. */
export async function exportFamily(
  cadre: Cadre,
  id: string,
  { format, ...options }: ExportOptions & { format: ExportFormat },
): Promise<string> {
  return renderExport(await readFamily(cadre, id, options), format);
}
