import { type ReactNode, type SyntheticEvent, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { permissionModes } from "../../src/run/permission.ts";
import type { Delegation } from "../../src/run/delegation.ts";
import { api } from "../data/api.ts";
import { useAgents } from "../data/queries.ts";
import { goTo } from "../data/route.ts";
import { Problem } from "../part/problem.tsx";

/** The form that starts a run. */
export function StartView({ agent }: { agent: string }): ReactNode {
  const { data: agents = [] } = useAgents();
  const names = [...new Set(agents.filter(({ isUsable }) => isUsable).map(({ name }) => name))];
  const [name, setName] = useState(agent);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (request: Delegation) => await api.startRun(request),
    onSuccess: ({ run }) => goTo("runs", run.id),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    mutate({ agent: name, ...readForm(new FormData(event.currentTarget)) });
  };
  return (
    <section className="view">
      <h2>Start a run</h2>
      <form className="form" onSubmit={submit}>
        <label>
          Agent
          <input
            list="agents"
            value={name}
            onChange={(event) => setName(event.target.value)}
            required
          />
        </label>
        <datalist id="agents">
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <label>
          Task
          <textarea name="task" rows={6} required autoFocus />
        </label>
        <Limits />
        <button type="submit" className="primary" disabled={isPending}>
          Start
        </button>
        <Problem error={error} />
      </form>
    </section>
  );
}

/** The optional fields. */
function Limits(): ReactNode {
  return (
    <>
      <label>
        Model <input name="model" placeholder="the agent’s" />
      </label>
      <label>
        Mode
        <select name="mode" defaultValue="">
          <option value="">the server's</option>
          {permissionModes.map((mode) => (
            <option key={mode}>{mode}</option>
          ))}
        </select>
      </label>
      <label>
        Timeout in seconds{" "}
        <input name="timeoutSeconds" type="number" min="1" placeholder="the agent’s" />
      </label>
      <label>
        Tokens at most <input name="tokens" type="number" min="1" placeholder="no limit" />
      </label>
      <label>
        Dollars at most{" "}
        <input name="usd" type="number" min="0.01" step="0.01" placeholder="no limit" />
      </label>
    </>
  );
}

/** The values of the filled fields. */
function readForm(form: FormData): Partial<Delegation> {
  const text = (name: string): string => readText(form.get(name));
  const texts = ["task", "model", "mode"].filter((name) => text(name) !== "");
  const numbers = (names: string[]): [string, number][] =>
    names.filter((name) => text(name) !== "").map((name) => [name, Number(text(name))]);
  const budget = Object.fromEntries(numbers(["tokens", "usd"]));
  return {
    ...Object.fromEntries(texts.map((name) => [name, text(name)])),
    ...Object.fromEntries(numbers(["timeoutSeconds"])),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}

function readText(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value.trim() : "";
}
