import { type Frontmatter, readFrontmatter } from "../../source/yaml/frontmatter.ts";
import type { AgentDefinition, AgentFormat } from "../definition/agent.ts";
import {
  type AgentFile,
  createDefinition,
  type DefinitionValues,
  sourceOf,
} from "./common-fields.ts";
import type { FieldKeys } from "./fields.ts";
import { openFields, type Fields } from "./fields.ts";
import { strictKeysOf } from "./restriction-keys.ts";

/** Reads a file's frontmatter by a format's keys. `data` is `null` if the file has none. */
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
  const { ownTools } = file;
  return { frontmatter, fields: openFields({ ...frontmatter, ownTools }, keys) };
}

const yamlFix =
  "Correct the YAML here: one `key: value` per line, and quotes around text with `: `, `#`, `*` or `&` in it.";

/** A format of files that must have frontmatter. */
export interface FrontmatterFormat {
  format: AgentFormat;
  keys: FieldKeys;
  /** Reads the values of a definition. */
  read: (fields: Fields, frontmatter: Frontmatter) => DefinitionValues;
}

/** Reads a definition from a file that must have frontmatter. A file without it is an error. */
export function parseDefinition(
  file: AgentFile,
  { format, keys, read }: FrontmatterFormat,
): AgentDefinition {
  const { frontmatter, fields } = parseFrontmatter(file, keys);
  if (frontmatter.data === null) reportNoFrontmatter(fields);
  const values = frontmatter.data === null ? {} : read(fields, frontmatter);
  return createDefinition(fields, sourceOf(file, format), values);
}

function reportNoFrontmatter(fields: Fields): void {
  const message =
    "Expected frontmatter between two lines `---` at the top of the file; there is none.";
  const fix = "Begin the file with `---`, `name:` and `description:` lines, and `---`.";
  fields.report([], { severity: "error", code: "frontmatter-missing", message, fix });
}
