// A run and its descendants as one file.

import { type Cadre, exportTraces } from "../../host.ts";
import { type ExportOptions, readFamily } from "./read-family.ts";
import { type ExportFormat, renderExport } from "./render-export.ts";

/** Options of an export's format. */
interface FormatOptions {
  format: ExportFormat | "otlp";
  /** The version of Cadre. */
  version: string;
}

/** Exports a run and its descendants as one text. @throws CadreError `run-not-found`. */
export async function exportFamily(
  cadre: Cadre,
  id: string,
  { format, version, ...options }: ExportOptions & FormatOptions,
): Promise<string> {
  if (format === "otlp") return await exportFamilyTraces(cadre, id, { ...options, version });
  return renderExport(await readFamily(cadre, id, options), format);
}

async function exportFamilyTraces(
  cadre: Cadre,
  id: string,
  options: ExportOptions & { version: string },
): Promise<string> {
  const family = await cadre.tree(id);
  const journals = family.map(async (run) => await (await cadre.find(run.id)).journal());
  return await exportTraces(await Promise.all(journals), options);
}
