import { type ReactNode, useDeferredValue, useState } from "react";
import { formatCost, formatCount, formatDuration } from "../../src/cli/view/format-value.ts";
import { useRuns, useSearch } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { Conversation, RunStatus, ServedRun } from "../data/types.ts";
import { useNow } from "../data/use-now.ts";
import { endOf } from "../data/family.ts";
import { Moment } from "../part/moment.tsx";
import { Empty, Problem } from "../part/problem.tsx";
import { Rows } from "../part/rows.tsx";
import { Status } from "../part/status.tsx";

const filters: readonly { title: string; statuses: readonly RunStatus[] }[] = [
  { title: "All", statuses: [] },
  { title: "Active", statuses: ["queued", "waiting", "running", "awaiting-approval"] },
  { title: "Succeeded", statuses: ["succeeded"] },
  { title: "Failed", statuses: ["failed", "timed-out"] },
  { title: "Cancelled", statuses: ["cancelled"] },
];

/** The list of runs, and the search in their tasks and answers. */
export function RunsView(): ReactNode {
  const [text, setText] = useState("");
  const [filter, setFilter] = useState(0);
  const wanted = useDeferredValue(text.trim());
  return (
    <section className="view">
      <h2>Runs</h2>
      <div className="bar">
        <input
          id="search"
          type="search"
          placeholder="Search in tasks and answers ( / )"
          aria-label="Search in tasks and answers"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div role="group" aria-label="Status" className="choices">
          {filters.map(({ title }, index) => (
            <button
              key={title}
              type="button"
              aria-pressed={index === filter}
              disabled={wanted !== ""}
              onClick={() => setFilter(index)}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      {wanted === "" ? (
        <RunList statuses={filters[filter]?.statuses ?? []} />
      ) : (
        <Found text={wanted} />
      )}
    </section>
  );
}

function RunList({ statuses }: { statuses: readonly RunStatus[] }): ReactNode {
  const now = useNow(1000);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns(statuses);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Reading …</Empty>;
  const runs = data.pages.flatMap((page) => page.runs);
  if (runs.length === 0 && statuses.length > 0) return <Empty>No run has this status.</Empty>;
  if (runs.length === 0) {
    return (
      <Empty>
        There are no runs yet. <a href={addressOf("start")}>Start one</a>, or use{" "}
        <code>cadre run</code>.
      </Empty>
    );
  }
  return (
    <Rows
      count={runs.length}
      height={56}
      label="Runs"
      onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
      row={(index) => {
        const run = runs[index];
        return run === undefined ? null : <RunRow run={run} now={now} />;
      }}
    />
  );
}

function RunRow({ run, now }: { run: ServedRun; now: number }): ReactNode {
  const { usage, cost, startedAt, label, agent, title, task, activity, model } = run;
  const took = startedAt === null ? "" : formatDuration(endOf(run, now) - startedAt);
  const tokens = formatCount(usage.inputTokens + usage.outputTokens);
  return (
    <a className="run-row" href={addressOf("runs", run.id)}>
      <Status run={run} />
      <span className="what">
        <strong>{label ?? agent}</strong> {title ?? task}
        <small>
          {run.result === null ? activity : (run.result.failure?.message ?? run.result.text)}
        </small>
      </span>
      <span className="number wide-only">{run.runs === 1 ? "" : `${run.runs} runs`}</span>
      <span className="number wide-only">{model ?? ""}</span>
      <span className="number">{tokens} tokens</span>
      <span className="number">{formatCost(cost)}</span>
      <span className="number wide-only">{took}</span>
      <span className="number">
        <Moment time={run.createdAt} now={now} />
      </span>
    </a>
  );
}

function Found({ text }: { text: string }): ReactNode {
  const { data, error } = useSearch(text);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Searching …</Empty>;
  if (data.length === 0) return <Empty>No conversation contains “{text}”.</Empty>;
  return (
    <Rows
      count={data.length}
      height={40}
      label="Conversations found"
      row={(index) => <FoundRow found={data[index]} />}
    />
  );
}

function FoundRow({ found }: { found: Conversation | undefined }): ReactNode {
  if (found === undefined) return null;
  return (
    <a className="run-row" href={addressOf("runs", found.lastRunId)}>
      <span className="what">{found.title}</span>
      <span className="number">
        {found.turns} {found.turns === 1 ? "turn" : "turns"}
      </span>
    </a>
  );
}
