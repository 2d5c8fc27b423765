import type { ShowOptions } from "./conduct-runs.ts";
import { UsageError } from "./usage-error.ts";

/** @throws UsageError when both want stdout. */
export function refuseBoth({ json, events }: ShowOptions): void {
  if (json !== true || events !== true) return;
  throw new UsageError("Expected --json or --events; got both. Each wants stdout for itself.");
}
