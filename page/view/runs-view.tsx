import { type ReactNode, useDeferredValue, useState } from "react";
import { formatCost, formatCount, formatDuration } from "../../src/cli/view/format-value.ts";
import { endOf, nameOf } from "../data/family.ts";
import { firstLine } from "../data/format.ts";
import { useAgents, useRuns, useSearch } from "../data/queries.ts";
import { addressOf, goTo } from "../data/route.ts";
import type { Conversation, RunStatus, ServedRun } from "../data/types.ts";
import { useKeys } from "../hook/use-keys.ts";
import { useNow } from "../hook/use-now.ts";
import { Choices } from "../part/choices.tsx";
import { Moment } from "../part/moment.tsx";
import { Empty, Loading, Problem } from "../part/problem.tsx";
import { Rows } from "../part/rows.tsx";
import { Status } from "../part/status.tsx";
import { CostStrip } from "./cost-strip.tsx";

const filters = ["All", "Active", "Succeeded", "Failed", "Cancelled"] as const;
type Filter = (typeof filters)[number];

const statusesOf: Readonly<Record<Filter, readonly RunStatus[]>> = {
  All: [],
  Active: ["queued", "waiting", "running", "awaiting-approval"],
  Succeeded: ["succeeded"],
  Failed: ["failed", "timed-out"],
  Cancelled: ["cancelled"],
};

/** The list of runs, the search in their tasks and answers, and what they cost. */
export function RunsView(): ReactNode {
  const [text, setText] = useState("");
  const [filter, setFilter] = useState<Filter>("All");
  const [agent, setAgent] = useState("");
  const wanted = useDeferredValue(text.trim());
  return (
    <section className="view">
      <CostStrip />
      <div className="bar">
        <h2 className="unseen">Runs</h2>
        <input
          id="search"
          type="search"
          placeholder="Search in tasks and answers ( / )"
          aria-label="Search in tasks and answers"
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
        <Found text={wanted} />
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
  const selected = useSelection(runs.map(({ id }) => id));
  if (error !== null) return <Problem error={error} />;
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
        count={runs.length}
        height={58}
        label="Runs"
        head={<ListHead />}
        selected={selected}
        keyOf={(index) => runs[index]?.id ?? index}
        onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
        row={(index) => {
          const run = runs[index];
          return run === undefined ? null : (
            <RunRow run={run} now={now} isSelected={index === selected} />
          );
        }}
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

/** Keys move a selection through a list, and open it. Returns the index; -1: nothing is selected. */
function useSelection(ids: readonly string[]): number {
  const [id, setId] = useState<string | null>(null);
  const at = id === null ? -1 : ids.indexOf(id);
  useKeys((key) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    if (by !== undefined) {
      setId(ids[Math.max(0, Math.min(ids.length - 1, at + by))] ?? null);
      return true;
    }
    if (key !== "Enter" || at < 0) return false;
    // A link or button that has the focus opens by itself.
    if (document.activeElement?.matches("a, button, summary") === true) return false;
    goTo("runs", ids[at] ?? "");
    return true;
  });
  return at;
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

/** What a run came to, or what it does now. */
function newsOf({ result, activity, approval }: ServedRun): string {
  if (result === null) return approval === null ? (activity ?? "") : `Asks: ${approval.title}`;
  return result.failure?.message ?? firstLine(result.text);
}

function Found({ text }: { text: string }): ReactNode {
  const { data, error } = useSearch(text);
  const now = useNow(60_000);
  const selected = useSelection(data?.map(({ lastRunId }) => lastRunId) ?? []);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Loading />;
  if (data.length === 0) {
    return <Empty>No conversation contains “{text}”. Fewer or shorter words find more.</Empty>;
  }
  return (
    <div className="list">
      <Rows
        count={data.length}
        height={44}
        label="Conversations found"
        selected={selected}
        row={(index) => <FoundRow found={data[index]} now={now} isSelected={index === selected} />}
      />
    </div>
  );
}

function FoundRow({
  found,
  now,
  isSelected,
}: {
  found: Conversation | undefined;
  now: number;
  isSelected: boolean;
}): ReactNode {
  if (found === undefined) return null;
  return (
    <a
      className={`found-row ${isSelected ? "selected" : ""}`}
      href={addressOf("runs", found.lastRunId)}
    >
      <span className="what">{found.title}</span>
      <span className="number">
        {found.turns} {found.turns === 1 ? "turn" : "turns"}
      </span>
      <span className="number">
        <Moment time={found.lastActivityAt} now={now} />
      </span>
    </a>
  );
}
