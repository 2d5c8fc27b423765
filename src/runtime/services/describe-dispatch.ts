import { resolve } from "node:path";
import type { DispatchParts } from "../../engine/engine.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { CadreOptions } from "../cadre.ts";
import type { LoadedConfig } from "../../config/load-config.ts";

/** Options that affect the execution of runs. */
const ofExecution: readonly (keyof CadreOptions)[] = ["hooks", "onApproval", "onElicit", "clock"];

/** Describes a Cadre for an engine that executes runs in other processes. */
export function describeDispatch({
  options,
  project,
  configuration,
  folder,
}: {
  options: CadreOptions;
  project: { cwd: string };
  configuration: Pick<LoadedConfig, "config">;
  /** The folder of the registry. */
  folder: string;
}): DispatchParts {
  const { model, agentFiles } = options;
  const onlyHere = ofExecution.filter(
    (name) => options[name] !== undefined && options[name] !== "wait",
  );
  return {
    setting: {
      cwd: project.cwd,
      ...(typeof model === "string" && { model }),
      ...omitUndefined({ agentFiles: agentFiles?.map((path) => resolve(path)) }),
    },
    onlyHere,
    maxWaiting: configuration.config.queue.maxWaiting,
    label: configuration.config.queue.needs,
    files: {
      folder: project.cwd,
      stateFolder: realPathOf(folder),
      worker: configuration.config.worker,
    },
  };
}
