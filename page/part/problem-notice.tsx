import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../src/client.ts";
import { explain } from "../data/api.ts";

/** An error and advice about it. */
export function ProblemNotice({ error }: { error: Error | string | null }): ReactNode {
  const client = useQueryClient();
  if (error === null) return null;
  const isPassing = error instanceof ApiError && error.code === "unreachable";
  return (
    <p className="problem" role="alert">
      {typeof error === "string" ? error : explain(error)}
      {isPassing && (
        <button type="button" onClick={() => void client.invalidateQueries()}>
          Try again
        </button>
      )}
    </p>
  );
}

/** The text that a view shows instead of an empty list. */
export function Empty({ children }: { children: ReactNode }): ReactNode {
  return <div className="empty">{children}</div>;
}

/** The content of a view until its data has arrived. It takes the place of a list, so that the layout does not jump. */
export function Loading(): ReactNode {
  return (
    <div className="loading" role="status">
      <span>Loading …</span>
    </div>
  );
}
