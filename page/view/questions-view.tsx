import { type ReactNode, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { ApprovalAnswer } from "../../src/run/permission.ts";
import { api } from "../data/api.ts";
import { useQuestions } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { Question } from "../data/types.ts";
import { useKeys } from "../hook/use-keys.ts";
import { useNow } from "../hook/use-now.ts";
import { Diff, readChange } from "../part/diff.tsx";
import { Moment } from "../part/moment.tsx";
import { Empty, Loading, ProblemNotice } from "../part/problem-notice.tsx";

/** The open questions of all runs. Keys answer the selected question, initially the oldest. */
export function QuestionsView(): ReactNode {
  const { data, error } = useQuestions();
  const now = useNow(1000);
  const [selected, setSelected] = useState("");
  const at = Math.max(0, data?.findIndex(({ id }) => id === selected) ?? 0);
  useKeys((key) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    const next = by === undefined ? undefined : data?.[at + by];
    if (next !== undefined) setSelected(next.id);
    return by !== undefined;
  });
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <section className="view scrolling">
      <h2>Questions</h2>
      {data.length === 0 ? (
        <Empty>
          <h3>No run waits for an answer.</h3>
          <p>
            A run whose mode is <code>ask</code> asks here, and in every other browser and terminal,
            before it makes changes. The first answer counts.
          </p>
        </Empty>
      ) : (
        <ol className="questions">
          {data.map((question, index) => (
            <QuestionCard
              key={question.id}
              question={question}
              now={now}
              isSelected={index === at}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

function QuestionCard({
  question,
  now,
  isSelected,
}: {
  question: Question;
  now: number;
  isSelected: boolean;
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
  useKeys((key) => {
    const choice = choices.find((one) => one.key === key);
    if (choice !== undefined) answer(choice.given);
    return choice !== undefined;
  }, isSelected);
  return (
    <li className={`card question ${isSelected ? "selected" : ""}`}>
      <h3>{title}</h3>
      <p className="faint">
        {chain.join(" › ")} · {question.reason} · <Moment time={askedAt} now={now} /> ·{" "}
        <a href={addressOf("runs", question.runId)}>open the run</a>
      </p>
      <What question={question} />
      <div className="bar">
        {choices.map(({ key, title: name, given, kind = "" }) => (
          <button key={key} type="button" className={kind} onClick={() => answer(given)}>
            {name} {isSelected && <kbd>{key}</kbd>}
          </button>
        ))}
        <input
          aria-label="Reason for a denial"
          placeholder="Why not? The agent reads it."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      <ProblemNotice error={problem} />
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
