import { type Frontmatter, readFrontmatter } from "../source/frontmatter.ts";
import type { AgentFile } from "./common-fields.ts";
import type { FieldKeys } from "./fields.ts";
import { openFields, type Fields } from "./fields.ts";
import { strictKeysOf } from "./restriction/restriction-keys.ts";

/** Reads a file's frontmatter by a format's keys; `data` is `null` where it has none. */
export function parseFrontmatter(
  file: AgentFile,
  keys: FieldKeys,
): { frontmatter: Frontmatter; fields: Fields } {
  const known = new Set(
    Object.values(keys)
      .flat()
      .map((key) => key.toLowerCase()),
  );
  const read = readFrontmatter(file.text, file.path, known, strictKeysOf(keys));
  const diagnostics = read.diagnostics.map((finding) =>
    Object.assign(finding, { fix: finding.fix ?? yamlFix }),
  );
  const frontmatter = { ...read, diagnostics };
  return { frontmatter, fields: openFields(frontmatter, keys) };
}

const yamlFix =
  "Correct the YAML here: one `key: value` a line, and quotes around text with `: `, `#`, `*` or `&` in it.";

/** The error of a file that has to be a definition and has no frontmatter. */
export function reportNoFrontmatter(fields: Fields): void {
  const message =
    "Expected frontmatter between two lines `---` at the top of the file; there is none.";
  const fix = "Begin the file with `---`, `name:` and `description:` lines, and `---`.";
  fields.report([], { severity: "error", code: "frontmatter-missing", message, fix });
}
