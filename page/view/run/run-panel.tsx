// The panel of a run: conversation, steps, details and events.

import { type ReactNode, useState } from "react";
import { formatCost, formatCount, formatDuration } from "../../../src/cli/view/format-value.ts";
import { type Block, toMarkdown } from "../../data/conversation.ts";
import { endOf, nameOf } from "../../data/family.ts";
import { addressOf } from "../../data/route.ts";
import type { ServedRun } from "../../data/types.ts";
import { useConversation } from "../../hook/use-conversation.ts";
import { useFollowing } from "../../hook/use-following.ts";
import { useKeys } from "../../hook/use-keys.ts";
import { Action } from "../../part/action.tsx";
import { BudgetBars } from "../../part/budget-bars.tsx";
import { Choices } from "../../part/choices.tsx";
import { Moment } from "../../part/moment.tsx";
import { ProblemNotice } from "../../part/problem-notice.tsx";
import { Status } from "../../part/status.tsx";
import { CompareWith } from "../compare/compare-with.tsx";
import { ContextUse } from "./context-use.tsx";
import { ConversationBlocks } from "./conversation-blocks.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunDetails } from "./run-details.tsx";
import { RunEvents } from "./run-events.tsx";
import { StepWaterfall } from "./step-waterfall.tsx";

const tabs = ["Conversation", "Steps", "Details", "Events"] as const;

/** One run: its figures, its actions, and its conversation. */
export function RunPanel({
  run,
  at,
  runs,
  now,
}: {
  run: ServedRun;
  /** The number of the event to show first; `null` for the conversation. */
  at: number | null;
  runs: readonly ServedRun[];
  now: number;
}): ReactNode {
  const [tab, setTab] = useState<(typeof tabs)[number]>(at === null ? "Conversation" : "Events");
  const isActive = run.result === null && !run.isLeft;
  const { blocks, isRead, error } = useConversation(run.id, run);
  const scrolling = useFollowing(blocks, isActive && tab === "Conversation");
  useKeys((key) => {
    const chosen = tabs[Number(key) - 1];
    if (chosen !== undefined) setTab(chosen);
    return chosen !== undefined;
  });
  return (
    <article className="run-panel" aria-label={`Run ${run.id}`}>
      <header>
        <div className="run-title">
          <h2>{nameOf(run)}</h2>
          <Status run={run} />
          {isActive && run.activity !== null && <span className="faint">{run.activity}</span>}
        </div>
        <Origin run={run} now={now} />
        <Figures run={run} now={now} />
        <div className="meters">
          {run.budget !== undefined && <BudgetBars run={run} budget={run.budget} now={now} />}
          <ContextUse run={run} />
        </div>
        {run.result?.failure !== undefined && <ProblemNotice error={run.result.failure.message} />}
        <div className="bar">
          <Choices label="What to show" choices={tabs} chosen={tab} onChoose={setTab} />
          <CopyMarkdown blocks={blocks} />
        </div>
        <CompareWith id={run.id} />
      </header>
      <div className="run-body" ref={scrolling}>
        <ProblemNotice error={error} />
        {tab === "Conversation" && error === null && (
          <ConversationBlocks run={run} runs={runs} blocks={blocks} isRead={isRead} />
        )}
        {tab === "Steps" && <StepWaterfall run={run} runs={runs} now={now} />}
        {tab === "Details" && <RunDetails run={run} />}
        {tab === "Events" && <RunEvents id={run.id} at={at} />}
      </div>
      <RunActions run={run} />
    </article>
  );
}

/** The model, the time, and the run that this run is based on. */
function Origin({ run, now }: { run: ServedRun; now: number }): ReactNode {
  const { model, firstModel, createdAt, lineage, continues, id } = run;
  const other = lineage?.runId ?? continues;
  return (
    <p className="faint">
      {model !== null && (
        <span>{firstModel === undefined ? model : `${model}, first ${firstModel}`} · </span>
      )}
      <Moment time={createdAt} now={now} />
      {other !== undefined && (
        <>
          {" · "}
          {lineage === undefined ? "continues " : `${lineage.kind} of `}
          <a href={addressOf("runs", other)}>{other}</a>
          {lineage?.kind === "fork" && `, after ${lineage.step}`}
          {" · "}
          <a href={addressOf("compare", other, id)}>Compare</a>
        </>
      )}
    </p>
  );
}

function Figures({ run, now }: { run: ServedRun; now: number }): ReactNode {
  const { usage, cost, turns, toolCalls, startedAt, runs } = run;
  const figures: [string, string][] = [
    ["time", startedAt === null ? "–" : formatDuration(endOf(run, now) - startedAt)],
    ["runs", String(runs)],
    ["turns", String(turns)],
    ["calls", String(toolCalls)],
    ["tokens in", formatCount(usage.inputTokens)],
    ["tokens out", formatCount(usage.outputTokens)],
    ["cost", formatCost(cost)],
  ];
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function CopyMarkdown({ blocks }: { blocks: readonly Block[] }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(toMarkdown(blocks));
    setCopied(true);
  };
  return <Action title={isCopied ? "Copied" : "Copy as Markdown"} work={copy} kind="quiet" />;
}
