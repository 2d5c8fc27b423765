import { useMutation } from "@tanstack/react-query";
import type { ReactNode, SyntheticEvent } from "react";
import { api } from "../data/api.ts";
import { goTo } from "../data/route.ts";
import { readGraphRequest } from "../data/start-request.ts";
import { ProblemNotice } from "../part/problem-notice.tsx";
import { Limits, OtherOptions } from "./start-form.tsx";

/** The form that starts the runs of a graph file. */
export function StartGraph({ files }: { files: readonly string[] }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => await api.startGraph(readGraphRequest(form)),
    onSuccess: ({ run }) => goTo("runs", run.id),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  return (
    <form className="form" onSubmit={submit}>
      <label>
        File of the graph
        <input name="file" list="graphs" required autoFocus placeholder="graph.yaml" />
      </label>
      <datalist id="graphs">
        {files.map((file) => (
          <option key={file} value={file} />
        ))}
      </datalist>
      <p className="faint">
        {files.length === 0
          ? "The project has no graphs: YAML files with a list of runs."
          : `Of the project: ${files.join(", ")}`}
      </p>
      <label>
        Name of the run <input name="label" placeholder="graph" />
      </label>
      <Limits hasMode={false} />
      <details>
        <summary>More options</summary>
        <OtherOptions example='{ "fallbacks": ["haiku"], "queue": { "priority": 1 } }' />
      </details>
      <button type="submit" className="primary" disabled={isPending}>
        Start
      </button>
      <ProblemNotice error={error} />
    </form>
  );
}
