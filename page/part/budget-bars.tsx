import type { ReactNode } from "react";
import { formatCost, formatCount, formatDuration } from "../../src/cli/view/format-value.ts";
import { endOf } from "../data/family.ts";
import type { ServedRun } from "../data/types.ts";
import { Meter } from "./meter.tsx";

/** The budget of a run and the usage of the run and its descendants, as bars. */
export function BudgetBars({
  run,
  budget,
  now,
}: {
  run: ServedRun;
  budget: NonNullable<ServedRun["budget"]>;
  now: number;
}): ReactNode {
  const { usage, cost, toolCalls, startedAt } = run;
  const seconds = startedAt === null ? 0 : (endOf(run, now) - startedAt) / 1000;
  const format = (value: number): string => formatDuration(value * 1000);
  return (
    <>
      <Meter
        name="tokens"
        used={usage.inputTokens + usage.outputTokens}
        limit={budget.tokens}
        show={formatCount}
      />
      <Meter name="dollars" used={cost} limit={budget.usd} show={formatCost} />
      <Meter name="calls" used={toolCalls} limit={budget.toolCalls} show={String} />
      <Meter name="time" used={seconds} limit={budget.wallSeconds} show={format} />
    </>
  );
}
