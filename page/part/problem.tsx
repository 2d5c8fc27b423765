import type { ReactNode } from "react";

/** What went wrong, and what to do. */
export function Problem({ error }: { error: unknown }): ReactNode {
  if (error === null || error === undefined) return null;
  return (
    <p className="problem" role="alert">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}

/** What a view says in place of an empty list. */
export function Empty({ children }: { children: ReactNode }): ReactNode {
  return <p className="empty">{children}</p>;
}
