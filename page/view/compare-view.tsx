import type { ReactNode } from "react";
import { formatCost, formatCount, formatNumberOf } from "../../src/cli/view/format-value.ts";
import { type Block, toMarkdown } from "../data/conversation.ts";
import { useFamily } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { ServedRun } from "../data/types.ts";
import { useConversation } from "../data/use-conversation.ts";
import { Blocks } from "../part/blocks.tsx";
import { Empty, Problem } from "../part/problem.tsx";
import { Status } from "../part/status.tsx";

/** Two runs side by side: their first difference, and the usage of each. */
export function CompareView({ ids }: { ids: readonly [string, string] }): ReactNode {
  const [left, right] = [useSide(ids[0]), useSide(ids[1])];
  const same = countSame(left.blocks, right.blocks);
  return (
    <section className="view">
      <h2>Compare</h2>
      <p className="faint">
        {same === 0
          ? "They differ from the first step."
          : `The first ${formatNumberOf(same, "step")} of both are the same.`}
      </p>
      <div className="columns">
        <Side side={left} same={same} />
        <Side side={right} same={same} />
      </div>
    </section>
  );
}

interface SideState {
  run: ServedRun | undefined;
  blocks: readonly Block[];
  error: Error | null;
}

function useSide(id: string): SideState {
  const { data, error: unread } = useFamily(id);
  const run = data?.find((one) => one.id === id || one.id.endsWith(`-${id}`));
  const isActive = run?.result === null && !run.isLeft;
  const { blocks, error } = useConversation(id, isActive);
  return { run, blocks, error: unread ?? error };
}

function Side({
  side: { run, blocks, error },
  same,
}: {
  side: SideState;
  same: number;
}): ReactNode {
  if (error !== null) return <Problem error={error} />;
  if (run === undefined) return <Empty>Reading …</Empty>;
  const { usage, cost, turns } = run;
  return (
    <article>
      <h3>
        <a href={addressOf("runs", run.id)}>{run.label ?? run.agent}</a> <Status run={run} />
      </h3>
      <p className="faint">
        {formatNumberOf(turns, "turn")} · {formatCount(usage.inputTokens + usage.outputTokens)}{" "}
        tokens · {formatCost(cost)}
      </p>
      <details>
        <summary>{formatNumberOf(same, "step")} in common</summary>
        <Blocks blocks={blocks.slice(0, same)} />
      </details>
      <Blocks blocks={blocks.slice(same)} />
    </article>
  );
}

/** The number of identical blocks at the beginning of both. */
function countSame(left: readonly Block[], right: readonly Block[]): number {
  const differs = left.findIndex((block, index) => {
    const other = right[index];
    return other === undefined || toMarkdown([block]) !== toMarkdown([other]);
  });
  return differs < 0 ? left.length : differs;
}
