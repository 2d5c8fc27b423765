import { useMutation } from "@tanstack/react-query";
import type { ReactNode, SyntheticEvent } from "react";
import { permissionModes } from "../../src/run/permission.ts";
import { api } from "../data/api.ts";
import { useRecipes } from "../data/queries.ts";
import { goTo } from "../data/route.ts";
import { readStartForm } from "../data/start-request.ts";
import { BudgetFields } from "../part/budget-fields.tsx";
import { ProblemNotice } from "../part/problem-notice.tsx";
import { ParameterFields } from "./parameter-fields.tsx";

/** The fields of a request for an agent's run. The run is shown after it has started. */
export function StartForm({
  agent,
  isShort = false,
}: {
  agent: string;
  /** Whether to show only the task and its limits at first. */
  isShort?: boolean;
}): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => await api.startRun(await readStartForm(agent, form)),
    onSuccess: ({ run }) => goTo("runs", run.id),
  });
  const { data: recipes = [] } = useRecipes();
  const recipe = recipes.find(({ name }) => name === agent);
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate(new FormData(event.currentTarget));
  };
  return (
    <form className="form" onSubmit={submit}>
      {recipe !== undefined && <ParameterFields key={agent} parameters={recipe.parameters} />}
      <label>
        {recipe === undefined ? "Task" : "Added to the task of the recipe"}
        <textarea
          name="task"
          rows={isShort || recipe !== undefined ? 3 : 6}
          required={recipe === undefined}
          autoFocus={!isShort}
        />
      </label>
      <Limits />
      <MoreOptions hasParameters={recipe === undefined} />
      <button type="submit" className="primary" disabled={isPending}>
        Start
      </button>
      <ProblemNotice error={error} />
    </form>
  );
}

/** The fields that limit a run or a family. */
export function Limits({ hasMode = true }: { hasMode?: boolean }): ReactNode {
  return (
    <div className="fields">
      <label>
        Model <input name="model" placeholder="the agent’s" />
      </label>
      {hasMode && (
        <label>
          Mode
          <select name="mode" defaultValue="">
            <option value="">the server’s</option>
            {permissionModes.map((mode) => (
              <option key={mode}>{mode}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        Timeout in seconds
        <input name="timeoutSeconds" type="number" min="1" placeholder="the agent’s" />
      </label>
      <BudgetFields />
    </div>
  );
}

function MoreOptions({ hasParameters }: { hasParameters: boolean }): ReactNode {
  return (
    <details>
      <summary>More options</summary>
      <div className="fields">
        <label>
          Name of the run <input name="label" placeholder="the agent’s name" />
        </label>
        <label>
          Folder <input name="cwd" placeholder="the project’s folder" />
        </label>
        <label>
          Turns at most <input name="maxTurns" type="number" min="1" placeholder="the agent’s" />
        </label>
        <label>
          Retries <input name="retries" type="number" min="0" placeholder="the agent’s" />
        </label>
        <label>
          Tools <input name="tools" placeholder="all, or names: Read, Grep" />
        </label>
      </div>
      <label>
        Input as JSON
        <textarea
          name="input"
          rows={2}
          placeholder='data in addition to the task: { "branch": "main" }'
        />
      </label>
      {hasParameters && (
        <label>
          Parameters as JSON
          <textarea name="parameters" rows={2} placeholder='{ "severity": "high" }' />
        </label>
      )}
      <label>
        Schema of the output as JSON
        <textarea name="outputSchema" rows={2} placeholder='{ "type": "object" }' />
      </label>
      <label>
        Images
        <input name="images" type="file" accept="image/*" multiple />
      </label>
      <OtherOptions example='{ "cache": true, "dependsOn": ["last"], "temperature": 0.2 }' />
    </details>
  );
}

/** A field for the request options that have no field. */
export function OtherOptions({ example }: { example: string }): ReactNode {
  return (
    <label>
      Other options as JSON, by the names of the API
      <textarea name="others" rows={2} placeholder={example} />
    </label>
  );
}
