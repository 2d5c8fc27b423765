import { diffLines } from "diff";
import type { ReactNode } from "react";
import type { JsonValue } from "../../src/source/json.ts";

/** The text that an edit removes and adds, and the file. */
interface Change {
  path: string | null;
  removed: string;
  added: string;
}

/** Returns the change of a call that edits a file; `null` for other calls. */
export function readChange(input: unknown): Change | null {
  if (typeof input !== "object" || input === null) return null;
  const fields = input as Record<string, JsonValue | undefined>;
  const { old_string: removed, new_string: added, content, file_path } = fields;
  const path = typeof file_path === "string" ? file_path : null;
  if (typeof removed === "string" && typeof added === "string") return { path, removed, added };
  return typeof content === "string" && path !== null
    ? { path, removed: "", added: content }
    : null;
}

/** Shows a change line by line. */
export function Diff({ change: { path, removed, added } }: { change: Change }): ReactNode {
  return (
    <figure className="diff">
      {path !== null && <figcaption>{path}</figcaption>}
      <pre>
        {diffLines(removed, added).flatMap((part, at) =>
          toLines(part.value).map((line, index) => {
            const key = `${at} ${index}`;
            if (part.removed) return <del key={key}>- {line}</del>;
            return part.added ? (
              <ins key={key}>+ {line}</ins>
            ) : (
              <span key={key}>{`  ${line}`}</span>
            );
          }),
        )}
      </pre>
    </figure>
  );
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
