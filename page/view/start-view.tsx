import { type ReactNode, useState } from "react";
import { useAgents } from "../data/queries.ts";
import { Automation } from "./automation.tsx";
import { StartForm } from "./start-form.tsx";

/** The form that starts a run. */
export function StartView({ agent }: { agent: string }): ReactNode {
  const { data: agents } = useAgents();
  const [name, setName] = useState(agent);
  const usable = (agents ?? []).filter(({ isUsable }) => isUsable);
  const chosen = usable.find((one) => one.name === name);
  return (
    <section className="view scrolling">
      <h2>Start a run</h2>
      <div className="start card">
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
          {[...new Set(usable.map((one) => one.name))].map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <p className="faint">
          {agents !== undefined &&
            (chosen?.description ?? "No agent of the project has this name.")}
        </p>
        <StartForm agent={name} />
      </div>
      <Automation />
    </section>
  );
}
