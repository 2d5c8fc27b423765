import { type ReactNode, useMemo, useState } from "react";
import { formatDuration } from "../../../src/cli/view/format-value.ts";
import { api } from "../../data/api.ts";
import type { Block } from "../../data/conversation.ts";
import { endOf, nameOf } from "../../data/family.ts";
import { addressOf, goTo } from "../../data/route.ts";
import type { ServedRun } from "../../data/types.ts";
import { useConversation } from "../../hook/use-conversation.ts";
import { useNow } from "../../hook/use-now.ts";
import { Action } from "../../part/action.tsx";
import { Blocks } from "../../part/blocks.tsx";
import { Empty, Loading, ProblemNotice } from "../../part/problem-notice.tsx";
import { Status } from "../../part/status.tsx";
import { CallImages } from "./call-images.tsx";

/** The texts and calls of a run. The runs that its calls started can be opened inside. */
export function ConversationBlocks({
  run,
  runs,
  blocks,
  isRead,
}: {
  run: ServedRun;
  runs: readonly ServedRun[];
  blocks: readonly Block[];
  isRead: boolean;
}): ReactNode {
  const children = useMemo(() => childrenOf(run, runs), [run, runs]);
  if (!isRead) return <Loading />;
  if (blocks.length === 0) return <Empty>Nothing has been said yet.</Empty>;
  const called = new Set(blocks.map(({ id }) => id));
  const others = [...children].filter(([step]) => !called.has(step));
  return (
    <>
      <Blocks
        blocks={blocks}
        imagesOf={(step) => <CallImages run={run} step={step} />}
        afterStep={(step) => <Fork id={run.id} step={step} />}
        ofCall={(step, call) => {
          const child = children.get(step);
          return child === undefined ? null : <Child run={child} runs={runs} call={call} />;
        }}
      />
      {others.length > 0 && (
        <section aria-label="Runs that it started by itself">
          {others.map(([step, child]) => (
            <Child key={step} run={child} runs={runs} call={null} />
          ))}
        </section>
      )}
    </>
  );
}

/** Returns the children of a run by the step that started them. */
function childrenOf({ id }: ServedRun, runs: readonly ServedRun[]): Map<string, ServedRun> {
  const own = runs.filter(({ parentId }) => parentId === id);
  return new Map(own.map((child) => [child.parentStep ?? "", child]));
}

/** A run that a call started. Its conversation is read when the user opens it. */
function Child({
  run,
  runs,
  call,
}: {
  run: ServedRun;
  runs: readonly ServedRun[];
  /** The call that started the run. */
  call: ReactNode;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const now = useNow(1000);
  return (
    <details className="child" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Status run={run} isShort /> <span className="who">{nameOf(run)}</span>
        <span className="faint what">{run.title ?? run.task}</span>
        <span className="number">
          {run.startedAt === null ? "" : formatDuration(endOf(run, now) - run.startedAt)}
        </span>
      </summary>
      <a href={addressOf("runs", run.id)}>Show this run alone</a>
      {isOpen && (
        <>
          {call}
          <ChildConversation run={run} runs={runs} />
        </>
      )}
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
  const { blocks, isRead, error } = useConversation(run.id, run);
  return error === null ? (
    <ConversationBlocks run={run} runs={runs} blocks={blocks} isRead={isRead} />
  ) : (
    <ProblemNotice error={error} />
  );
}

/** Starts a run with the steps up to this one, and then sends it a task. */
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
