import { type Cadre, createEnvironmentRedaction, type RunOverview } from "../../host.ts";
import type { RunHandle } from "../../host.ts";

type Part = Awaited<ReturnType<RunHandle["transcript"]>>[number];

/** A run of an exported family. */
export interface ExportedRun {
  run: RunOverview;
  /** The run's conversation; empty without content. */
  parts: Part[];
}

/** Options of {@link readFamily}. */
export interface ExportOptions {
  /** Whether to export texts, inputs and outputs; otherwise only figures. */
  hasContent: boolean;
  /** The environment whose secrets are replaced. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Reads a run and its descendants for an export, without secrets of the environment. */
export async function readFamily(
  cadre: Cadre,
  id: string,
  { hasContent, environment }: ExportOptions,
): Promise<ExportedRun[]> {
  const redact = createEnvironmentRedaction(environment);
  const family: ExportedRun[] = [];
  for (const run of await cadre.tree(id)) {
    const parts = hasContent ? await (await cadre.find(run.id)).transcript() : [];
    const shown = hasContent ? run : withoutContent(run);
    family.push(JSON.parse(redact(JSON.stringify({ run: shown, parts }))) as ExportedRun);
  }
  return family;
}

function withoutContent(run: RunOverview): RunOverview {
  const { title: _, approval: __, ...rest } = run;
  const result = run.result === null ? null : { ...run.result, text: "" };
  delete result?.output;
  delete result?.failure;
  return { ...rest, task: "", activity: null, approval: null, result };
}
