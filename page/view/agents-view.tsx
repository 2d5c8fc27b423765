import type { ReactNode } from "react";
import { listAgentFields, type AgentField } from "../data/agent-fields.ts";
import { useAgents } from "../data/queries.ts";
import { addressOf, goTo } from "../data/route.ts";
import type { Diagnostic, ServedAgent } from "../data/types.ts";
import { useKeys } from "../hook/use-keys.ts";
import { Empty, Loading, ProblemNotice } from "../part/problem-notice.tsx";
import { StartForm } from "./start-form.tsx";

/** Every agent: its purpose, the origin of its settings, the problems of its file, and a form to try it. */
export function AgentsView({ name }: { name: string }): ReactNode {
  const { data, error } = useAgents();
  const agents = data ?? [];
  const at = Math.max(
    0,
    agents.findIndex((agent) => keyOf(agent) === name || agent.name === name),
  );
  useKeys((key) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    const next = by === undefined ? undefined : agents[at + by];
    if (next !== undefined) goTo("agents", keyOf(next));
    return by !== undefined;
  });
  if (error !== null) return <ProblemNotice error={error} />;
  if (data === undefined) return <Loading />;
  const agent = agents[at];
  if (agent === undefined) {
    return (
      <Empty>
        There are no agents. Write one as <code>.cadre/agents/NAME.md</code>.
      </Empty>
    );
  }
  return (
    <section className="view split">
      <nav aria-label="Agents" className="side card">
        <h2>Agents</h2>
        <ul>
          {agents.map((one) => (
            <li key={keyOf(one)}>
              <a
                href={addressOf("agents", keyOf(one))}
                aria-current={one === agent ? "true" : undefined}
              >
                <span>
                  <strong>{one.name}</strong> <Findings agent={one} />
                </span>
                <small>{one.description}</small>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <AgentPanel key={keyOf(agent)} agent={agent} />
    </section>
  );
}

/** Returns the key of a definition. Several files may define the same name. */
function keyOf({ name, source }: ServedAgent): string {
  return source.path ?? name;
}

function Findings({ agent: { isUsable, diagnostics } }: { agent: ServedAgent }): ReactNode {
  if (!isUsable) return <span className="badge bad">cannot run</span>;
  if (diagnostics.length === 0) return null;
  return <span className="badge wait">{diagnostics.length} findings</span>;
}

function AgentPanel({ agent }: { agent: ServedAgent }): ReactNode {
  const { name, description, systemPrompt, source, isUsable } = agent;
  const { fields, others } = listAgentFields(agent);
  return (
    <article className="card agent" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <span className="badge">{source.format}</span>
        <span className="badge">{source.scope}</span>
        <Findings agent={agent} />
      </header>
      <p>{description}</p>
      <p className="faint path">{source.path ?? "It is part of Cadre."}</p>
      {others.map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
      <dl className="details">
        {fields.map((field) => (
          <Field key={field.name} field={field} />
        ))}
      </dl>
      {systemPrompt !== "" && (
        <details>
          <summary>Instructions</summary>
          <pre>{systemPrompt}</pre>
        </details>
      )}
      {isUsable ? (
        <section className="try" aria-label="Try it">
          <h3>Try it</h3>
          <StartForm agent={name} isShort />
        </section>
      ) : (
        <p className="faint">Correct the errors in its file to try it.</p>
      )}
    </article>
  );
}

function Field({ field: { name, value, from, findings } }: { field: AgentField }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} {from !== null && <span className="faint">{from}</span>}
        {findings.map((finding, index) => (
          <Finding key={index} finding={finding} />
        ))}
      </dd>
    </div>
  );
}

function Finding({ finding }: { finding: Diagnostic }): ReactNode {
  const { line, severity, message, fix } = finding;
  return (
    <div className={`finding ${severity}`}>
      <strong>
        {severity} in line {line}
      </strong>
      <span>{message}</span>
      {fix !== null && <span className="faint">{fix}</span>}
    </div>
  );
}
