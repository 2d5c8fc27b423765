import type { ReactNode } from "react";
import { useAgents } from "../data/queries.ts";
import { addressOf } from "../data/route.ts";
import type { Diagnostic, ServedAgent } from "../data/types.ts";
import { Empty, Problem } from "../part/problem.tsx";

/** Every agent: its description, its origin, and the findings in its file. */
export function AgentsView(): ReactNode {
  const { data, error } = useAgents();
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Reading …</Empty>;
  return (
    <section className="view">
      <h2>Agents</h2>
      <ul className="cards">
        {data.map((agent) => (
          <AgentCard key={`${agent.name} ${agent.source.path}`} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

function AgentCard({ agent }: { agent: ServedAgent }): ReactNode {
  const { name, description, isUsable, model, tools, timeoutSeconds, source, diagnostics } = agent;
  return (
    <li className="card">
      <h3>
        {name}{" "}
        {isUsable ? (
          <a href={addressOf("start", name)}>Start</a>
        ) : (
          <span className="failed">cannot run</span>
        )}
      </h3>
      <p>{description}</p>
      <dl className="details">
        <div>
          <dt>from</dt>
          <dd>
            {source.path ?? source.scope} ({source.format})
          </dd>
        </div>
        <div>
          <dt>model</dt>
          <dd>{model ?? "its parent's, or the default"}</dd>
        </div>
        <div>
          <dt>tools</dt>
          <dd>{tools === undefined ? "all" : tools.join(", ") || "none"}</dd>
        </div>
        <div>
          <dt>timeout</dt>
          <dd>{timeoutSeconds} s</dd>
        </div>
      </dl>
      {diagnostics.map((finding, key) => (
        <FindingRow key={key} finding={finding} />
      ))}
    </li>
  );
}

function FindingRow({ finding }: { finding: Diagnostic }): ReactNode {
  const { path, line, severity, message, fix } = finding;
  return (
    <p className={severity === "error" ? "problem" : "faint"}>
      {severity}: {path}:{line} {message} {fix ?? ""}
    </p>
  );
}
