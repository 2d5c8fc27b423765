import { type ReactNode, useEffect, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { ApprovalAnswer } from "../../src/run/permission.ts";
import { api } from "../data/api.ts";
import { useQuestions } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { Question } from "../data/types.ts";
import { useNow } from "../data/use-now.ts";
import { Diff, readChange } from "../part/diff.tsx";
import { Moment } from "../part/moment.tsx";
import { Empty, Problem } from "../part/problem.tsx";

/** The questions of all runs that wait for an answer. The keys answer the first one. */
export function QuestionsView(): ReactNode {
  const { data, error } = useQuestions();
  const now = useNow(1000);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Reading …</Empty>;
  return (
    <section className="view">
      <h2>Questions</h2>
      {data.length === 0 ? (
        <Empty>No run waits for an answer.</Empty>
      ) : (
        <ol className="questions">
          {data.map((question, index) => (
            <QuestionCard key={question.id} question={question} now={now} isFirst={index === 0} />
          ))}
        </ol>
      )}
    </section>
  );
}

function QuestionCard({
  question,
  now,
  isFirst,
}: {
  question: Question;
  now: number;
  isFirst: boolean;
}): ReactNode {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<Error | null>(null);
  const { id, proposal, chain, title, askedAt } = question;
  const answer = (given: ApprovalAnswer): void => {
    api
      .answerQuestion({ question: id, answer: given })
      .catch(setProblem)
      .finally(() => void client.invalidateQueries());
  };
  const choices = listChoices(proposal, reason.trim());
  useKeys(isFirst, (key) => {
    const choice = choices.find((one) => one.key === key);
    if (choice !== undefined) answer(choice.given);
  });
  return (
    <li className="card">
      <h3>{title}</h3>
      <p className="faint">
        {chain.join(" › ")} · {question.reason} · <Moment time={askedAt} now={now} /> ·{" "}
        <a href={addressOf("runs", question.runId)}>open the run</a>
      </p>
      <What question={question} />
      <div className="bar">
        {choices.map(({ key, title: name, given, kind = "" }) => (
          <button key={key} type="button" className={kind} onClick={() => answer(given)}>
            {name} {isFirst && <kbd>{key}</kbd>}
          </button>
        ))}
        <input
          aria-label="Reason for a denial"
          placeholder="Why not? The agent reads it."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      <Problem error={problem} />
    </li>
  );
}

/** The possible answers, by key. */
function listChoices(
  proposal: string | undefined,
  reason: string,
): { key: string; title: string; given: ApprovalAnswer; kind?: string }[] {
  const deny: ApprovalAnswer = { decision: "deny", ...(reason !== "" && { reason }) };
  const allow = (scope: "once" | "always"): ApprovalAnswer => ({ decision: "allow", scope });
  const rule: ApprovalAnswer = { decision: "allow", scope: "rule", rule: proposal ?? "" };
  return [
    { key: "y", title: "Allow once", given: allow("once"), kind: "primary" },
    { key: "a", title: "Always this call", given: allow("always") },
    ...(proposal === undefined ? [] : [{ key: "p", title: `Allow ${proposal}`, given: rule }]),
    { key: "n", title: "Deny", given: deny, kind: "danger" },
  ];
}

function What({ question: { input } }: { question: Question }): ReactNode {
  const change = readChange(input);
  return change === null ? <pre>{JSON.stringify(input, null, 2)}</pre> : <Diff change={change} />;
}

/** Calls `onKey` for keys that are not typed into a field. */
function useKeys(isOn: boolean, onKey: (key: string) => void): void {
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent): void => {
      const { target, ctrlKey, metaKey, altKey, repeat } = event;
      if (ctrlKey || metaKey || altKey || repeat) return;
      if (target instanceof Element && target.closest("input, textarea, select") !== null) return;
      onKey(event.key);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}
