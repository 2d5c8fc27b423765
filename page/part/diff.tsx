import type { ReactNode } from "react";
import type { JsonValue } from "../../src/source/json.ts";

/** What an edit removes and adds. */
interface Change {
  removed: string;
  added: string;
}

/** Reads the change of a call that edits a file; `null` for other calls. */
export function readChange(input: unknown): Change | null {
  if (typeof input !== "object" || input === null) return null;
  const fields = input as Record<string, JsonValue | undefined>;
  const { old_string: removed, new_string: added, content } = fields;
  if (typeof removed === "string" && typeof added === "string") return { removed, added };
  if (typeof content === "string" && "file_path" in fields) return { removed: "", added: content };
  return null;
}

/** Shows a change line by line. */
export function Diff({ change }: { change: Change }): ReactNode {
  return (
    <pre className="diff">
      {toLines(change.removed).map((line, key) => (
        <del key={key}>- {line}</del>
      ))}
      {toLines(change.added).map((line, key) => (
        <ins key={key}>+ {line}</ins>
      ))}
    </pre>
  );
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
