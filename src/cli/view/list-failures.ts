import { firstLine } from "../terminal/clean-text.ts";
import { shortRunId } from "../../short-run-id.ts";
import { runName } from "./tree-line.ts";
import { nameFlags } from "../arguments/name-flags.ts";
import type { Run } from "../../host.ts";

/** The maximum number of different failures shown, and of runs named for each. */
const maxFailures = 10;
const maxNamed = 3;

/** Returns one line for each status and reason, with the runs that ended this way. */
export function listFailures(runs: readonly Run[]): string[] {
  const failed = runs.filter(({ result }) => result?.failure !== undefined);
  const groups = Map.groupBy(failed, ({ status, result }) =>
    JSON.stringify([status, result?.failure?.message]),
  );
  const shown = [...groups.values()].slice(0, maxFailures);
  const more = failed.length - shown.flat().length;
  const lines = shown.map(describeFailures);
  return more > 0 ? [...lines, `  … and ${more} more`] : lines;
}

function describeFailures(runs: readonly Run[]): string {
  const [first] = runs;
  const names = runs.slice(0, maxNamed).map((run) => `${runName(run)} (${shortRunId(run.id)})`);
  const more = runs.length - names.length;
  const who = `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const count = runs.length > 1 ? ` ${runs.length} times` : "";
  const reason = nameFlags(firstLine(first?.result?.failure?.message ?? ""));
  return `  ${first?.status}${count}: ${who}: ${reason}`;
}
