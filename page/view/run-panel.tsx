import { type ReactNode, useMemo, useState } from "react";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatNumberOf,
} from "../../src/cli/view/format-value.ts";
import { api } from "../data/api.ts";
import { type Block, toMarkdown } from "../data/conversation.ts";
import { endOf } from "../data/family.ts";
import { addressOf, goTo } from "../data/route.ts";
import type { ServedRun } from "../data/types.ts";
import { useConversation } from "../data/use-conversation.ts";
import { Action } from "../part/action.tsx";
import { Blocks } from "../part/blocks.tsx";
import { Budget } from "../part/budget.tsx";
import { Moment } from "../part/moment.tsx";
import { Empty, Problem } from "../part/problem.tsx";
import { Status } from "../part/status.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunEvents } from "./run-events.tsx";
import { RunSteps } from "./run-steps.tsx";

const tabs = ["Conversation", "Steps", "Details", "Events"] as const;

/** One run: its facts, its actions, and its conversation and steps. */
export function RunPanel({
  run,
  runs,
  now,
}: {
  run: ServedRun;
  runs: readonly ServedRun[];
  now: number;
}): ReactNode {
  const [tab, setTab] = useState<(typeof tabs)[number]>("Conversation");
  const isActive = run.result === null && !run.isLeft;
  const { blocks, error } = useConversation(run.id, isActive);
  return (
    <article className="run-panel" aria-label={`Run ${run.id}`}>
      <header>
        <h2>{run.label ?? run.agent}</h2>
        <Status run={run} />
        <Facts run={run} now={now} />
      </header>
      {run.budget !== undefined && <Budget run={run} budget={run.budget} now={now} />}
      {run.result?.failure !== undefined && <Problem error={run.result.failure.message} />}
      <RunActions run={run} />
      <div role="group" aria-label="What to show" className="choices">
        {tabs.map((name) => (
          <button key={name} type="button" aria-pressed={name === tab} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
        <CopyMarkdown blocks={blocks} />
      </div>
      <Problem error={error} />
      {tab === "Conversation" && <Conversation run={run} runs={runs} blocks={blocks} />}
      {tab === "Steps" && <RunSteps run={run} now={now} />}
      {tab === "Details" && <Details run={run} />}
      {tab === "Events" && <RunEvents id={run.id} />}
    </article>
  );
}

function Facts({ run, now }: { run: ServedRun; now: number }): ReactNode {
  const { usage, cost, turns, toolCalls, startedAt, model, createdAt } = run;
  const facts = [
    model,
    formatNumberOf(turns, "turn"),
    formatNumberOf(toolCalls, "call"),
    `${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`,
    `cost ${formatCost(cost)}`,
    startedAt === null ? null : formatDuration(endOf(run, now) - startedAt),
  ].filter((fact) => fact !== null);
  return (
    <p className="faint">
      {facts.join(" · ")} · <Moment time={createdAt} now={now} />
    </p>
  );
}

function Conversation({
  run,
  runs,
  blocks,
}: {
  run: ServedRun;
  runs: readonly ServedRun[];
  blocks: readonly Block[];
}): ReactNode {
  const children = useMemo(() => childrenOf(run, runs), [run, runs]);
  if (blocks.length === 0) return <Empty>Nothing has been said yet.</Empty>;
  return (
    <Blocks
      blocks={blocks}
      afterText={(step) => <Fork id={run.id} step={step} />}
      afterCall={(step) => {
        const child = children.get(step);
        return child === undefined ? null : <Child run={child} runs={runs} />;
      }}
    />
  );
}

/** The children of a run by the step that started them. */
function childrenOf({ id }: ServedRun, runs: readonly ServedRun[]): Map<string, ServedRun> {
  const own = runs.filter(({ parentId }) => parentId === id);
  return new Map(own.map((child) => [child.parentStep ?? "", child]));
}

/** A run that a call started; its conversation is read when it is opened. */
function Child({ run, runs }: { run: ServedRun; runs: readonly ServedRun[] }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="child" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Status run={run} isShort /> <span className="who">{run.label ?? run.agent}</span>
      </summary>
      <a href={addressOf("runs", run.id)}>Show this run alone</a>
      {isOpen && <ChildConversation run={run} runs={runs} />}
    </details>
  );
}

function ChildConversation({
  run,
  runs,
}: {
  run: ServedRun;
  runs: readonly ServedRun[];
}): ReactNode {
  const { blocks, error } = useConversation(run.id, run.result === null && !run.isLeft);
  return error === null ? (
    <Conversation run={run} runs={runs} blocks={blocks} />
  ) : (
    <Problem error={error} />
  );
}

/** Starts a run that begins with the steps up to one, and then gets a task. */
function Fork({ id, step }: { id: string; step: string }): ReactNode {
  const [task, setTask] = useState("");
  const fork = async (): Promise<void> => {
    const { run } = await api.forkRun(id, { at: step, task });
    goTo("runs", run.id);
  };
  return (
    <details className="fork">
      <summary>Fork from here</summary>
      <div className="bar">
        <input
          aria-label="What to say in the copy"
          placeholder="What to say in the copy"
          value={task}
          onChange={(event) => setTask(event.target.value)}
        />
        <Action title="Fork" work={fork} isDisabled={task.trim() === ""} />
      </div>
    </details>
  );
}

function CopyMarkdown({ blocks }: { blocks: readonly Block[] }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(toMarkdown(blocks));
    setCopied(true);
  };
  return <Action title={isCopied ? "Copied" : "Copy as Markdown"} work={copy} />;
}

/** The facts of the run, field by field. */
function Details({ run }: { run: ServedRun }): ReactNode {
  const { result, approval, budget, lineage, continues, dependsOn } = run;
  const rows: [string, string | null][] = [
    ["id", run.id],
    ["agent", run.agent],
    ["task", run.task],
    ["model", run.model],
    ["activity", run.activity],
    ["waits for an answer", approval === null ? null : approval.title],
    ["waits for runs", dependsOn.length === 0 ? null : dependsOn.join(", ")],
    ["budget", budget === undefined ? null : JSON.stringify(budget)],
    ["made from", lineage === undefined ? null : `${lineage.kind} of ${lineage.runId}`],
    ["continues", continues ?? null],
    ["attempts", String(run.attempts)],
    [
      "warnings",
      result === null || result.warnings.length === 0 ? null : result.warnings.join("\n"),
    ],
    ["output", result?.output === undefined ? null : JSON.stringify(result.output, null, 2)],
  ];
  return (
    <dl className="details">
      {rows.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
