import type { ReactNode } from "react";
import { formatCount } from "../../../src/cli/view/format-value.ts";
import { useContextWindow, useSteps } from "../../data/queries.ts";
import type { ServedRun } from "../../data/types.ts";
import { Meter } from "../../part/meter.tsx";

/** How much of the context window of its model the last request of a run used. */
export function ContextUse({ run: { id, model } }: { run: ServedRun }): ReactNode {
  const { data } = useSteps(id);
  const last = data?.steps.findLast(({ tokens }) => tokens !== undefined)?.tokens;
  const window = useContextWindow(id, model).data;
  if (window === undefined || window === null) return null;
  const show = (tokens: number): string => formatCount(tokens);
  return (
    <Meter
      name="context"
      used={last === undefined ? 0 : last.input + last.output}
      limit={window.tokens}
      show={show}
      note={window.isAssumed ? " (assumed)" : ""}
    />
  );
}
