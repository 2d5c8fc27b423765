import { type ReactNode, useEffect, useRef, useState } from "react";
import { type LiveConnection, useLive } from "./data/live/live.ts";
import { useProjects, useQuestions } from "./data/queries.ts";
import { addressIn, addressOf, goTo, type PageRoute, useProject, useRoute } from "./data/route.ts";
import { useKeys } from "./hook/use-keys.ts";
import { Help } from "./part/help.tsx";
import { AgentsView } from "./view/agents-view.tsx";
import { CompareView } from "./view/compare/compare-view.tsx";
import { CompareEvalsView } from "./view/evals/compare-evals-view.tsx";
import { EvalView } from "./view/evals/eval-view.tsx";
import { EvalsView } from "./view/evals/evals-view.tsx";
import { FamilyView } from "./view/family/family-view.tsx";
import { QuestionsView } from "./view/questions-view.tsx";
import { RunsView } from "./view/runs-view.tsx";
import { StartView } from "./view/start-view.tsx";
import { UsageView } from "./view/usage-view.tsx";

const views = [
  { view: "runs", title: "Runs", key: "r" },
  { view: "questions", title: "Questions", key: "q" },
  { view: "agents", title: "Agents", key: "g" },
  { view: "evals", title: "Evals", key: "e" },
  { view: "usage", title: "Usage", key: "u" },
  { view: "start", title: "Start", key: "s" },
] as const;

/** The page: the navigation and the view that the address names. */
export function App(): ReactNode {
  const route = useRoute();
  const connection = useLive();
  const { data: questions = [] } = useQuestions();
  const [isHelping, setHelping] = useState(false);
  const main = useRef<HTMLElement>(null);
  useViewKeys(setHelping);
  useEffect(() => {
    document.title = `${questions.length > 0 ? `(${questions.length}) ` : ""}Cadre`;
  }, [questions.length]);
  // Moves screen readers to the opened view.
  useEffect(() => {
    // A form has already focused its first field.
    if (main.current?.contains(document.activeElement) !== true) main.current?.focus();
  }, [route.view]);
  return (
    <>
      <header className="top">
        <h1>
          <a href={addressOf("runs")}>Cadre</a>
        </h1>
        <ProjectChoice />
        <nav aria-label="Views">
          {views.map(({ view, title }) => (
            <a
              key={view}
              href={addressOf(view)}
              aria-current={isCurrent(route, view) ? "page" : undefined}
            >
              {title}
              {view === "questions" && questions.length > 0 && (
                <span className="count">{questions.length}</span>
              )}
            </a>
          ))}
        </nav>
        <button type="button" aria-label="Keys" onClick={() => setHelping(true)}>
          ?
        </button>
        <p role="status" className={`connection ${connection}`}>
          {connections[connection]}
        </p>
      </header>
      <main ref={main} tabIndex={-1}>
        <View route={route} />
      </main>
      <Help isOpen={isHelping} views={views} onClose={() => setHelping(false)} />
    </>
  );
}

/** The projects of a server that has several. */
function ProjectChoice(): ReactNode {
  const { data: projects = [] } = useProjects();
  const project = useProject();
  if (projects.length < 2) return null;
  return (
    <select
      aria-label="Project"
      value={project === "" ? projects[0]?.id : project}
      onChange={(event) => {
        const { value } = event.target;
        location.hash = addressIn(value === projects[0]?.id ? "" : value, "runs");
      }}
    >
      {projects.map(({ id, path }) => (
        <option key={id} value={id} title={path}>
          {id}
        </option>
      ))}
    </select>
  );
}

const connections: Readonly<Record<LiveConnection, string>> = {
  connecting: "connecting …",
  live: "live",
  broken: "The server does not answer; trying again …",
};

function isCurrent(route: PageRoute, view: string): boolean {
  const above = { run: "runs", compare: "runs", "compare-evals": "evals" };
  return route.view === view || (route.view in above && above[route.view as "run"] === view);
}

function View({ route }: { route: PageRoute }): ReactNode {
  switch (route.view) {
    case "runs":
      return <RunsView />;
    case "run":
      return <FamilyView id={route.id} at={route.at} />;
    case "questions":
      return <QuestionsView />;
    case "agents":
      return <AgentsView name={route.name} />;
    case "evals":
      return route.id === "" ? <EvalsView /> : <EvalView id={route.id} />;
    case "compare-evals":
      return <CompareEvalsView ids={route.ids} />;
    case "usage":
      return <UsageView />;
    case "start":
      return <StartView key={route.agent} agent={route.agent} />;
    case "compare":
      return <CompareView ids={route.ids} />;
  }
}

/** Opens each view with one key. */
function useViewKeys(setHelping: (isHelping: boolean) => void): void {
  useKeys((key) => {
    const opened = views.find((one) => one.key === key);
    if (opened !== undefined) goTo(opened.view);
    if (key === "?") setHelping(true);
    const search = key === "/" ? document.querySelector<HTMLElement>("#search") : null;
    search?.focus();
    return search !== null || opened !== undefined || key === "?";
  });
  useEffect(() => {
    const leave = ({ key, target }: KeyboardEvent): void => {
      const field = target instanceof Element ? target.closest("input, textarea, select") : null;
      if (key === "Escape" && field instanceof HTMLElement) field.blur();
    };
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, []);
}
