import type { ShowOptions } from "./show-results.ts";
import { UsageError } from "../arguments/usage-error.ts";

/** Refuses `--json` with `--events`. @throws UsageError when both are given. */
export function refuseBoth({ json, events }: ShowOptions): void {
  if (json !== true || events !== true) return;
  throw new UsageError(
    "Expected --json or --events; got both. Each of them needs stdout for itself.",
  );
}
