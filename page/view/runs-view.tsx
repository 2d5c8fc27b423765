// Views of the project: runs, questions, agents, usage, automation, and the form that starts runs.

import { type ReactNode, useState } from "react";
import { formatCost, formatCount, formatDuration } from "../../src/cli/view/format-value.ts";
import { endOf, nameOf } from "../data/family.ts";
import { cutFirstLine } from "../data/format.ts";
import { useAgents, useRuns } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { RunStatus, ServedRun } from "../data/types.ts";
import { useLater } from "../hook/use-later.ts";
import { useNow } from "../hook/use-now.ts";
import { useSelection } from "../hook/use-selection.ts";
import { Choices } from "../part/choices.tsx";
import { Moment } from "../part/moment.tsx";
import { Empty, Loading, ProblemNotice } from "../part/problem-notice.tsx";
import { Rows } from "../part/rows.tsx";
import { Status } from "../part/status.tsx";
import { CostStrip } from "./cost-strip.tsx";
import { FoundRunsList } from "./found-runs-list.tsx";

const filters = ["All", "Active", "Succeeded", "Failed", "Cancelled"] as const;
type Filter = (typeof filters)[number];

const statusesOf: Readonly<Record<Filter, readonly RunStatus[]>> = {
  All: [],
  Active: ["queued", "waiting", "running", "awaiting-approval"],
  Succeeded: ["succeeded"],
  Failed: ["failed", "timed-out"],
  Cancelled: ["cancelled"],
};

/** The list of runs, the search in their texts, and their cost. */
export function RunsView(): ReactNode {
  const [text, setText] = useState("");
  const [filter, setFilter] = useState<Filter>("All");
  const [agent, setAgent] = useState("");
  const wanted = useLater(text.trim(), 150);
  return (
    <section className="view">
      <CostStrip />
      <div className="bar">
        <h2 className="unseen">Runs</h2>
        <input
          id="search"
          type="search"
          placeholder="Search in tasks and transcripts ( / )"
          aria-label="Search in tasks and transcripts"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <AgentFilter agent={agent} isDisabled={wanted !== ""} onChoose={setAgent} />
        <Choices
          label="Status"
          choices={filters}
          chosen={filter}
          isDisabled={wanted !== ""}
          onChoose={setFilter}
        />
      </div>
      {wanted === "" ? (
        <RunList key={`${filter} ${agent}`} filter={filter} agent={agent} />
      ) : (
        <FoundRunsList text={wanted} />
      )}
    </section>
  );
}

function AgentFilter({
  agent,
  isDisabled,
  onChoose,
}: {
  agent: string;
  isDisabled: boolean;
  onChoose: (agent: string) => void;
}): ReactNode {
  const { data: agents = [] } = useAgents();
  const names = [...new Set(agents.map(({ name }) => name))];
  return (
    <select
      aria-label="Agent"
      value={agent}
      disabled={isDisabled}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">All agents</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function RunList({ filter, agent }: { filter: Filter; agent: string }): ReactNode {
  const now = useNow(1000);
  const statuses = statusesOf[filter];
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns(statuses, agent);
  const runs = data?.pages.flatMap((page) => page.runs) ?? [];
  const selected = useSelection(runs.map(({ id }) => [id]));
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  if (runs.length === 0 && (filter !== "All" || agent !== "")) {
    return (
      <Empty>
        No run {agent === "" ? "" : `of ${agent} `}
        {filter === "All" ? "is here" : `is ${filter.toLowerCase()}`}. Choose other filters to see
        more.
      </Empty>
    );
  }
  if (runs.length === 0) return <NoRuns />;
  return (
    <div className="list">
      <Rows
        items={runs}
        height={58}
        label="Runs"
        head={<ListHead />}
        selected={selected}
        keyOf={(run) => run.id}
        onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
        row={(run, index) => <RunRow run={run} now={now} isSelected={index === selected} />}
      />
    </div>
  );
}

function ListHead(): ReactNode {
  return (
    <div className="run-row list-head" aria-hidden="true">
      <span>status</span>
      <span>task and result</span>
      <span className="number wide-only">runs</span>
      <span className="number wide-only">model</span>
      <span className="number">tokens</span>
      <span className="number">cost</span>
      <span className="number wide-only">time</span>
      <span className="number">started</span>
    </div>
  );
}

function NoRuns(): ReactNode {
  return (
    <Empty>
      <h3>There are no runs yet.</h3>
      <p>
        <a href={addressOf("start")}>Start one</a> here, or in a terminal in this project:
      </p>
      <pre>cadre run "say hello"</pre>
    </Empty>
  );
}

function RunRow({
  run,
  now,
  isSelected,
}: {
  run: ServedRun;
  now: number;
  isSelected: boolean;
}): ReactNode {
  const { usage, cost, startedAt, title, task, model } = run;
  const took = startedAt === null ? "" : formatDuration(endOf(run, now) - startedAt);
  const tokens = formatCount(usage.inputTokens + usage.outputTokens);
  return (
    <a
      className={`run-row ${isSelected ? "selected" : ""}`}
      href={addressOf("runs", run.id)}
      aria-current={isSelected ? "true" : undefined}
    >
      <Status run={run} />
      <span className="what">
        <span>
          <strong>{nameOf(run)}</strong> {title ?? task}
        </span>
        <small className={run.result?.failure === undefined ? "" : "failed"}>{newsOf(run)}</small>
      </span>
      <span className="number wide-only">{run.runs}</span>
      <span className="number wide-only" title={model ?? ""}>
        {model === null ? "" : model.slice(model.indexOf(":") + 1)}
      </span>
      <span className="number">{tokens}</span>
      <span className="number">{formatCost(cost)}</span>
      <span className="number wide-only">{took}</span>
      <span className="number">
        <Moment time={run.createdAt} now={now} />
      </span>
    </a>
  );
}

/** Returns the result of a run, or its current activity. */
function newsOf({ result, activity, approval }: ServedRun): string {
  if (result === null) return approval === null ? (activity ?? "") : `Asks: ${approval.title}`;
  return result.failure?.message ?? cutFirstLine(result.text);
}
