import { useMutation } from "@tanstack/react-query";
import type { ReactNode, SyntheticEvent } from "react";
import { api } from "../../data/api.ts";
import { readEvalRequest } from "../../data/start-request.ts";
import { useEvalFiles } from "../../data/eval-queries.ts";
import { goTo } from "../../data/route.ts";
import { BudgetFields } from "../../part/budget-fields.tsx";
import { ProblemNotice } from "../../part/problem-notice.tsx";

/** The form that starts an eval of the project's files. */
export function StartEval(): ReactNode {
  const { data: files = [] } = useEvalFiles();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => await api.startEval(readEvalRequest(form)),
    onSuccess: ({ eval: { id } }) => goTo("evals", id),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  return (
    <details className="card start">
      <summary>Start an eval</summary>
      <form className="form" onSubmit={submit}>
        <label>
          File
          <input name="files" list="eval-files" required placeholder="evals.yaml" />
        </label>
        <datalist id="eval-files">
          {files.map(({ file, cases }) => (
            <option key={file} value={file}>
              {cases.join(", ")}
            </option>
          ))}
        </datalist>
        <div className="fields">
          <label>
            Only cases with <input name="filter" placeholder="part of their names" />
          </label>
          <label>
            Models <input name="models" placeholder="from the file" />
          </label>
          <label>
            Trials of each case
            <input name="repeat" type="number" min="1" max="1000" placeholder="the file’s" />
          </label>
          <label>
            Trials at a time
            <input name="concurrency" type="number" min="1" max="100" placeholder="4" />
          </label>
          <BudgetFields />
        </div>
        <button type="submit" className="primary" disabled={isPending}>
          Start
        </button>
        <ProblemNotice error={error} />
      </form>
    </details>
  );
}
