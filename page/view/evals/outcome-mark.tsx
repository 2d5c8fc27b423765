import type { ReactNode } from "react";
import type { EvalOverview, Trial } from "../../data/types.ts";

const signs = { pass: "✓", fail: "✗", error: "!" } as const;
const classes = { pass: "succeeded", fail: "failed", error: "left" } as const;

/** The outcome of a trial or a case as a symbol and a word. */
export function OutcomeMark({ outcome }: { outcome: Trial["outcome"] }): ReactNode {
  return (
    <span className={`status ${classes[outcome]}`}>
      <span className="sign" aria-hidden="true">
        {signs[outcome]}
      </span>
      <span>{outcome}</span>
    </span>
  );
}

/** The outcome of an eval that has ended, or the state of any other eval. */
export function EvalStatus({ found }: { found: EvalOverview }): ReactNode {
  const { state, outcome } = found;
  if (state === "finished") return <OutcomeMark outcome={outcome} />;
  const [sign, className] = state === "running" ? ["●", "running"] : ["‖", "left"];
  return (
    <span className={`status ${className}`}>
      <span className="sign" aria-hidden="true">
        {sign}
      </span>
      <span>{state}</span>
    </span>
  );
}
