// The view that compares two runs.

import type { ReactNode } from "react";
import { ComparedRuns } from "./compared-runs.tsx";

/** Two runs, step by step. */
export function CompareView({ ids }: { ids: readonly [string, string] }): ReactNode {
  return (
    <section className="view scrolling compare">
      <h2>Compare</h2>
      <ComparedRuns ids={ids} />
    </section>
  );
}
