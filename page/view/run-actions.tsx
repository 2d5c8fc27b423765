import { type ReactNode, useState } from "react";
import { api } from "../data/api.ts";
import { addressOf, goTo } from "../data/route.ts";
import type { ServedRun } from "../data/types.ts";
import { Action } from "../part/action.tsx";

/** The actions on a run: send a message, cancel, raise limits, retry, continue. */
export function RunActions({ run }: { run: ServedRun }): ReactNode {
  if (run.isLeft) return <LeftActions run={run} />;
  return run.result === null ? <ActiveActions run={run} /> : <EndedActions run={run} />;
}

function LeftActions({ run }: { run: ServedRun }): ReactNode {
  return (
    <div className="bar">
      <span>The process of this run is gone. Its journal has everything it did.</span>
      <Action title="Resume" kind="primary" work={async () => await api.resumeRun(run.id)} />
    </div>
  );
}

function ActiveActions({ run }: { run: ServedRun }): ReactNode {
  const [text, setText] = useState("");
  const send = async (): Promise<void> => {
    await api.sendMessage(run.id, { text });
    setText("");
  };
  return (
    <div className="bar">
      <input
        aria-label="Message"
        placeholder="A message, which the agent reads before its next request"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Action title="Send" kind="primary" work={send} isDisabled={text.trim() === ""} />
      <Action
        title="+5 min"
        work={async () => await api.raiseLimits(run.id, { timeoutSeconds: 300 })}
      />
      <Action title="Cancel" kind="danger" work={async () => await api.cancelRun(run.id)} />
    </div>
  );
}

function EndedActions({ run }: { run: ServedRun }): ReactNode {
  const [task, setTask] = useState("");
  const open = async (starting: Promise<{ run: ServedRun }>): Promise<void> =>
    goTo("runs", (await starting).run.id);
  const other = run.lineage?.runId ?? run.continues;
  return (
    <div className="bar">
      <input
        aria-label="Next task"
        placeholder="What to do next in this conversation"
        value={task}
        onChange={(event) => setTask(event.target.value)}
      />
      <Action
        title="Continue"
        kind="primary"
        work={async () => await open(api.continueRun(run.id, { task }))}
        isDisabled={task.trim() === ""}
      />
      {run.status !== "succeeded" && (
        <Action title="Retry" work={async () => await open(api.retryRun(run.id))} />
      )}
      {other !== undefined && <a href={addressOf("compare", other, run.id)}>Compare</a>}
    </div>
  );
}
