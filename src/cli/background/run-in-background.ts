import { resolve } from "node:path";
import { omitUndefined } from "../../omit-undefined.ts";
import { shortRunId } from "../../short-run-id.ts";
import type { Cadre, CadreOptions, RunHandle } from "../../host.ts";
import { writeError, writeJson, writeLine } from "../terminal/output.ts";
import { openCadre } from "../run/open-cadre.ts";
import { type BackgroundOptions, recordBackground } from "./background-family.ts";
import { startSupervisor } from "./start-supervisor.ts";

/** Options of {@link runInBackground}. */
export interface BackgroundRequest {
  options: CadreOptions;
  /** The models that the command line names. */
  models: Pick<BackgroundOptions, "model" | "fallbacks">;
  /** Whether to write `{ runId }` instead of text. */
  json: boolean | undefined;
  /** Starts the run. */
  begin: (cadre: Cadre, note: (line: string) => void) => Promise<RunHandle>;
}

/** Creates a run, hands it to the supervisor, and says how to watch it. */
export async function runInBackground(request: BackgroundRequest): Promise<void> {
  const { options, models, json, begin } = request;
  const { cwd, trust, mode, sandbox, agentFiles } = options;
  const files = agentFiles?.map((path) => resolve(path));
  const kept = { ...models, ...omitUndefined({ trust, mode, sandbox, agentFiles: files }) };
  const cadre = await openCadre({ ...options, executes: false, onApproval: "wait" });
  const { stateFolder } = cadre;
  let runId: string;
  try {
    const handle = await begin(cadre, writeError);
    runId = handle.id;
    // Recorded before this process ends: the supervisor owns the family even if this process fails now.
    const family = { rootId: runId, options: { ...kept, cwd: resolve(cwd ?? ".") } };
    await recordBackground(stateFolder, family);
  } finally {
    await cadre.close({ leaveRuns: true });
  }
  await startSupervisor(stateFolder);
  if (json === true) return writeJson({ runId });
  const id = shortRunId(runId);
  writeLine(runId);
  writeError(
    `It runs in the background: cadre attach ${id}, cadre logs ${id}, cadre cancel ${id}.`,
  );
}
