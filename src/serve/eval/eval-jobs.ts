// Evals that a server executes, and their progress.

import { resolve } from "node:path";
import {
  type Cadre,
  CadreError,
  type CadreOptions,
  type EvalSettings,
  formatDiagnostic,
  hasError,
  type LoadedCase,
} from "../../host.ts";
import { requireInside } from "./require-inside.ts";
import { errorMessage } from "../../error-message.ts";

/** A request for an eval. */
export interface EvalRequest extends EvalSettings {
  /** Files of the project, relative to the project's folder. */
  files: readonly string[];
  /** Selects the cases whose name contains this text. */
  filter?: string | undefined;
}

/** Executes evals of a project. */
export interface EvalJobs {
  /** Starts an eval and resolves with its id. @throws CadreError when nothing was started. */
  start(request: EvalRequest): Promise<string>;
  /** Continues an eval that was ended, and resolves with its id. @throws CadreError */
  resume(id: string): Promise<string>;
}

/** Options of {@link createEvalJobs}. */
export interface EvalJobsOptions {
  cadre: Cadre;
  /** The options of `cadre`. */
  cadreOptions: CadreOptions;
  /** The project's folder. */
  path: string;
  isTrusted: boolean;
  /** Aborts when the server ends. Runs of evals are then left for a resume, as other runs are. */
  ending: AbortSignal;
  log: (line: string) => void;
}

/** Creates the executor of a project's evals. */
export function createEvalJobs(options: EvalJobsOptions): EvalJobs {
  const { cadre, cadreOptions, path, isTrusted, ending, log } = options;

  async function begin(
    cases: readonly LoadedCase[] | undefined,
    settings: EvalSettings & { resume?: string },
  ): Promise<string> {
    const { runEvals } = await import("../../host.ts");
    const started = Promise.withResolvers<string>();
    const work = runEvals(cadre, cases, {
      ...settings,
      cadreOptions,
      isTrusted: () => isTrusted,
      leaving: ending,
      onStart: started.resolve,
    });
    work.catch((error: unknown) => {
      started.reject(error);
      if (!ending.aborted) log(errorMessage(error));
    });
    return await started.promise;
  }

  return {
    async start({ files, filter, ...settings }) {
      const paths = files.map((file) => requireInside(path, file));
      return await begin(await readCases(cadre, paths, filter), settings);
    },
    async resume(id) {
      const { readEvalStart } = await import("../../host.ts");
      const earlier = await readEvalStart(cadre.stateFolder, id);
      for (const { path: file } of earlier.cases) requireInside(path, file);
      return await begin(undefined, { resume: earlier.id });
    },
  };
}

/** Reads the cases. @throws CadreError `invalid-argument` for files with errors, and when the filter matches no case. */
async function readCases(
  cadre: Cadre,
  paths: readonly string[],
  filter = "",
): Promise<LoadedCase[]> {
  const { loadEvals } = await import("../../host.ts");
  const { cases, diagnostics } = await loadEvals(
    cadre,
    paths.map((path) => resolve(path)),
  );
  if (hasError(diagnostics)) {
    const lines = diagnostics.map((one) => `\n${formatDiagnostic(one)}`).join("");
    throw new CadreError("invalid-argument", `The eval files have errors:${lines}`, {
      details: { diagnostics },
    });
  }
  const chosen = cases.filter(({ name }) => name.includes(filter));
  if (chosen.length > 0) return chosen;
  const names = cases.map(({ name }) => name).join(", ");
  const message = `Expected \`filter\` to match a case; got ${JSON.stringify(filter)}. Cases: ${names}.`;
  throw new CadreError("invalid-argument", message);
}
