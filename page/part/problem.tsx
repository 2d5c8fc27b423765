import type { ReactNode } from "react";
import { explain } from "../data/api.ts";

/** An error and advice about it. */
export function Problem({ error }: { error: Error | string | null }): ReactNode {
  if (error === null) return null;
  return (
    <p className="problem" role="alert">
      {typeof error === "string" ? error : explain(error)}
    </p>
  );
}

/** The text of a view instead of an empty list. */
export function Empty({ children }: { children: ReactNode }): ReactNode {
  return <p className="empty">{children}</p>;
}
