import type { Clock } from "../../clock.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Failure } from "../../run/failure.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { endRun } from "./ending.ts";

/**
 * Ends runs that an earlier process started below the ended run `parent` and that no process continued: descendants for which
 * `isLost` holds, and the runs below them.
 */
export async function endOrphans(
  options: { registry: Registry; clock: Clock },
  parent: Pick<Run, "id">,
  isLost: (run: Run) => boolean,
): Promise<void> {
  for (const run of await options.registry.children(parent.id)) {
    if (!isTerminal(run.status)) {
      if (!isLost(run)) continue;
      const message = "Its process was killed, and its parent ended without it.";
      const failure: Failure = { code: "interrupted", message };
      await endRun(options, { status: "cancelled", text: "", failure }, run.id);
    }
    await endOrphans(options, run, isLost);
  }
}
