import { type DetachOptions, findWorkerFlag } from "./detach-options.ts";
import { UsageError } from "../arguments/usage-error.ts";

/** Options of `cadre run` that decide where the run is executed, and options that need the command to stay. */
interface Staying extends DetachOptions {
  bg?: boolean;
  interactive?: boolean;
  events?: boolean;
}

/** @throws UsageError for options that cannot be combined with `--bg` or `--detach`. */
export function checkBackground(options: Staying): void {
  const { bg, detach, interactive, events } = options;
  const ofWorkers = findWorkerFlag(options);
  if (bg === true && ofWorkers !== undefined) {
    throw new UsageError(`Expected --bg or ${ofWorkers}, which is for runs of workers; got both.`);
  }
  if (bg === true && detach === true) throw new UsageError("Expected --bg or --detach; got both.");
  if (bg !== true && detach !== true) return;
  const flag = interactive === true ? "--interactive" : events === true ? "--events" : undefined;
  if (flag === undefined) return;
  const other = flag === "--events" ? " `cadre events RUN --follow` shows the events." : "";
  throw new UsageError(
    `Expected ${bg === true ? "--bg" : "--detach"} or ${flag}; got both.${other}`,
  );
}
