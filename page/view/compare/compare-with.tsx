import { type ReactNode, type SyntheticEvent, useId } from "react";
import { nameOf } from "../../data/family.ts";
import { useRuns } from "../../data/queries.ts";
import { goTo } from "../../data/route.ts";

/** A field that compares a run with any other run. */
export function CompareWith({ id }: { id: string }): ReactNode {
  return (
    <details className="compare-with">
      <summary>Compare with …</summary>
      <Form id={id} />
    </details>
  );
}

function Form({ id }: { id: string }): ReactNode {
  const list = useId();
  const { data } = useRuns([]);
  const others = (data?.pages[0]?.runs ?? []).filter((run) => run.id !== id);
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const other = new FormData(event.currentTarget).get("other");
    if (typeof other === "string") goTo("compare", other.trim(), id);
  };
  return (
    <form className="bar" onSubmit={submit}>
      <input
        name="other"
        list={list}
        required
        aria-label="The other run"
        placeholder="the id of a run"
      />
      <datalist id={list}>
        {others.map((run) => (
          <option key={run.id} value={run.id}>
            {nameOf(run)} {run.title ?? run.task}
          </option>
        ))}
      </datalist>
      <button type="submit">Compare</button>
    </form>
  );
}
