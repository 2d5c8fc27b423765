import type { ReactNode } from "react";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatNumberOf,
} from "../../../src/cli/view/format-value.ts";
import { type Block, toMarkdown } from "../../data/conversation.ts";
import { endOf, nameOf } from "../../data/family.ts";
import { useFamily, useSpec } from "../../data/queries.ts";
import { addressOf } from "../../data/route.ts";
import { compareSettings } from "../../data/settings.ts";
import type { RunSpec, ServedRun } from "../../data/types.ts";
import { useConversation } from "../../hook/use-conversation.ts";
import { useNow } from "../../hook/use-now.ts";
import { Blocks } from "../../part/blocks.tsx";
import { Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { Status } from "../../part/status.tsx";

/** Two runs side by side: their different settings, the first different step, and their usage. */
export function ComparedRuns({ ids }: { ids: readonly [string, string] }): ReactNode {
  const [left, right] = [useSide(ids[0]), useSide(ids[1])];
  const error = left.error ?? right.error;
  if (error !== null) return <ProblemNotice error={error} />;
  if (left.run === undefined || right.run === undefined) return <Loading />;
  // Showing it in stages would make the layout jump.
  if (!left.isRead || !right.isRead || left.spec === null || right.spec === null) {
    return <Loading />;
  }
  const same = countSame(left.blocks, right.blocks);
  const count = Math.max(left.blocks.length, right.blocks.length);
  const rows = Array.from({ length: count - same }, (_, index) => same + index);
  return (
    <div className="compared">
      <div className="columns heads">
        <Head run={left.run} />
        <Head run={right.run} />
      </div>
      <Changed specs={[left.spec, right.spec]} />
      {same === 0 ? (
        <p className="faint">They differ from the first step.</p>
      ) : (
        <details>
          <summary>{formatNumberOf(same, "step")} in common</summary>
          <Blocks blocks={left.blocks.slice(0, same)} />
        </details>
      )}
      {rows.length === 0 && same > 0 && <p className="faint">Every step of both is the same.</p>}
      {rows.map((index) => (
        <div className="columns" key={index}>
          <Step block={left.blocks[index]} />
          <Step block={right.blocks[index]} />
        </div>
      ))}
    </div>
  );
}

interface SideState {
  run: ServedRun | undefined;
  spec: RunSpec | null;
  blocks: readonly Block[];
  isRead: boolean;
  error: Error | null;
}

function useSide(id: string): SideState {
  const { data, error: unread } = useFamily(id);
  const run = data?.find((one) => one.id === id || one.id.endsWith(`-${id}`));
  const { blocks, isRead, error } = useConversation(id, run);
  const { data: spec = null } = useSpec(id);
  return { run, spec, blocks, isRead, error: unread ?? error };
}

function Head({ run }: { run: ServedRun }): ReactNode {
  const now = useNow(1000);
  const { usage, cost, turns, startedAt, createdAt } = run;
  return (
    <header className="card">
      <h3>
        <a href={addressOf("runs", run.id)}>{nameOf(run)}</a> <Status run={run} />
      </h3>
      <p className="faint">
        {run.id} · {formatNumberOf(turns, "turn")} ·{" "}
        {formatCount(usage.inputTokens + usage.outputTokens)} tokens · {formatCost(cost)} ·{" "}
        {formatDuration(endOf(run, now) - (startedAt ?? createdAt))}
      </p>
    </header>
  );
}

/** The settings that differ. */
function Changed({ specs: [one, other] }: { specs: readonly [RunSpec, RunSpec] }): ReactNode {
  const differences = compareSettings(one, other);
  if (differences.length === 0) {
    return <p className="faint">Both had the same task and settings.</p>;
  }
  return (
    <section aria-label="What was changed" className="changed">
      {differences.map(({ name, values: [left, right] }) => (
        <div className="columns" key={name}>
          <p>
            <span className="faint">{name}</span> <del>{left}</del>
          </p>
          <p>
            <span className="faint">{name}</span> <ins>{right}</ins>
          </p>
        </div>
      ))}
    </section>
  );
}

function Step({ block }: { block: Block | undefined }): ReactNode {
  return (
    <div className="card">
      {block === undefined ? <p className="faint">No such step.</p> : <Blocks blocks={[block]} />}
    </div>
  );
}

/** Returns the number of equal blocks at the beginning of both conversations. */
function countSame(left: readonly Block[], right: readonly Block[]): number {
  const differs = left.findIndex((block, index) => {
    const other = right[index];
    return other === undefined || toMarkdown([block]) !== toMarkdown([other]);
  });
  return differs < 0 ? left.length : differs;
}
