import { type ReactNode, useState } from "react";
import { useAgents, useGraphs, useRecipes } from "../data/queries.ts";
import { Choices } from "../part/choices.tsx";
import { Loading, ProblemNotice } from "../part/problem-notice.tsx";
import { AutomationView } from "./automation-view.tsx";
import { StartForm } from "./start-form.tsx";
import { StartGraph } from "./start-graph.tsx";

const kinds = ["Agent", "Recipe", "Graph"] as const;
type Kind = (typeof kinds)[number];

/** The forms that start agents, recipes and graphs, and the configured automation. */
export function StartView({ agent }: { agent: string }): ReactNode {
  const { data: agents, error } = useAgents();
  const { isPending } = useRecipes();
  const { data: graphs = [] } = useGraphs();
  const [kind, setKind] = useState<Kind | null>(null);
  // Until the user gives a name, the first of its kind is selected.
  const [given, setGiven] = useState<string | null>(agent);
  const usable = (agents ?? []).filter(({ isUsable }) => isUsable);
  const isRecipe = (one: (typeof usable)[number]): boolean => one.source.format === "recipe";
  const isGivenRecipe = usable.some((one) => one.name === given && isRecipe(one));
  const shown = kind ?? (isGivenRecipe ? "Recipe" : "Agent");
  const wanted = usable.filter((one) => isRecipe(one) === (shown === "Recipe"));
  const first = wanted.find((one) => shown === "Recipe" || one.name === "main");
  const name = given ?? first?.name ?? "";
  const chosen = usable.find((one) => one.name === name);
  const choose = (next: Kind): void => {
    setKind(next);
    setGiven(null);
  };
  if (error !== null) return <ProblemNotice error={error} />;
  // Fields that appear later would move the content below them.
  if (agents === undefined || isPending) return <Loading />;
  return (
    <section className="view scrolling">
      <h2>Start a run</h2>
      <div className="start card">
        <Choices label="What to start" choices={kinds} chosen={shown} onChoose={choose} />
        {shown === "Graph" ? (
          <StartGraph files={graphs} />
        ) : (
          <>
            <label>
              {shown}
              <input
                list="agents"
                value={name}
                onChange={(event) => setGiven(event.target.value)}
                required
              />
            </label>
            <datalist id="agents">
              {[...new Set(wanted.map((one) => one.name))].map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
            <p className="faint">{chosen?.description ?? adviceOf(shown, wanted.length)}</p>
            <StartForm agent={name} />
          </>
        )}
      </div>
      <AutomationView />
    </section>
  );
}

function adviceOf(kind: Kind, count: number): string {
  if (kind === "Recipe" && count === 0) {
    return "The project has no recipes. Write one as .cadre/recipes/NAME.yaml.";
  }
  return `No ${kind.toLowerCase()} of the project has this name.`;
}
