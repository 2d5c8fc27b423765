import type { ReactNode } from "react";
import { useSpec } from "../../data/queries.ts";
import { addressOf } from "../../data/route.ts";
import { listSettings } from "../../data/settings.ts";
import type { ServedRun } from "../../data/types.ts";

/** The task of a run, its settings with their origins, its warnings and its output. */
export function RunDetails({ run }: { run: ServedRun }): ReactNode {
  const { result, approval, dependsOn, attempts, retries = 0 } = run;
  const warnings = result?.warnings ?? [];
  return (
    <>
      {warnings.length > 0 && (
        <section className="warnings">
          <h3>Warnings</h3>
          <ul>
            {warnings.map((warning, index) => (
              <li key={index}>{warning}</li>
            ))}
          </ul>
        </section>
      )}
      <h3>Run</h3>
      <dl className="details">
        <Field name="id">
          <code>{run.id}</code>
        </Field>
        <Field name="agent">{run.agent}</Field>
        <Field name="task">{run.task}</Field>
        {approval !== null && <Field name="waits for an answer">{approval.title}</Field>}
        {dependsOn.length > 0 && (
          <Field name="waits for runs">
            {dependsOn.map((id) => (
              <a key={id} href={addressOf("runs", id)}>
                {id}{" "}
              </a>
            ))}
          </Field>
        )}
        {attempts > 1 && <Field name="resumed">{`${attempts - 1} times`}</Field>}
        {retries > 0 && <Field name="failed attempts">{String(retries)}</Field>}
        {run.cachedFrom !== undefined && (
          <Field name="result of">
            <a href={addressOf("runs", run.cachedFrom)}>{run.cachedFrom}</a>, from the cache
          </Field>
        )}
      </dl>
      <Settings id={run.id} />
      {result?.output !== undefined && (
        <>
          <h3>Output</h3>
          <pre>{JSON.stringify(result.output, null, 2)}</pre>
        </>
      )}
    </>
  );
}

function Field({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The settings of a run and their origins. */
function Settings({ id }: { id: string }): ReactNode {
  const { data: spec } = useSpec(id);
  if (spec === undefined || spec === null) return null;
  return (
    <>
      <h3>Settings</h3>
      <div className="wide" tabIndex={0} role="region" aria-label="Settings">
        <table>
          <thead>
            <tr>
              <th>setting</th>
              <th>value</th>
              <th>from</th>
            </tr>
          </thead>
          <tbody>
            {listSettings(spec).map(({ name, value, from }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{value}</td>
                <td className="faint">{from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
