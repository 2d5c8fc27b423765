import type { ReactNode } from "react";
import type { ServedRun } from "../data/types.ts";

const signs: Readonly<Record<ServedRun["status"], string>> = {
  queued: "○",
  waiting: "◌",
  running: "●",
  "awaiting-approval": "?",
  succeeded: "✓",
  failed: "✗",
  cancelled: "■",
  "timed-out": "✗",
};

/** The status of a run as a symbol and a word. */
export function Status({ run, isShort = false }: { run: ServedRun; isShort?: boolean }): ReactNode {
  const word = run.isLeft ? "interrupted" : run.status.replace("-", " ");
  return (
    <span className={`status ${run.isLeft ? "left" : run.status}`} title={word}>
      <span className="sign" aria-hidden="true">
        {run.isLeft ? "‖" : signs[run.status]}
      </span>
      <span className={isShort ? "unseen" : ""}>{word}</span>
    </span>
  );
}
