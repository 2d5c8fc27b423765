import type { Trial } from "../../eval/eval-report.ts";
import type { CadreOptions } from "../cadre.ts";
import type { EvalSettings, Recordings } from "./eval-record.ts";

/** Options of `runEvals`. */
export interface RunEvalsOptions extends EvalSettings {
  /** The options of `cadre`, for the Cadre that stops delegations. */
  cadreOptions: CadreOptions;
  /** Reports whether the commands of a file (absolute path) may run. */
  isTrusted: (path: string) => boolean;
  /** The id of an eval to continue, with its settings unless they are given. Its finished trials are not executed again. */
  resume?: string;
  /** Records the models' replies in the folder, or replays them from there. Default: as the eval of `resume` did. */
  recordings?: Recordings;
  /** Ends the eval, as `cancelEval` in any process does. The report contains the finished trials. */
  signal?: AbortSignal;
  /** Leaves the eval when `cadre` is closed and leaves its runs. A resume continues them. */
  leaving?: AbortSignal;
  onStart?: (id: string, trials: number) => void;
  /** Called after each trial. */
  onTrial?: (trial: Trial) => void;
}
