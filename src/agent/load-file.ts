import { basename } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { readTextFile } from "../source/text-file.ts";
import {
  type AgentDefinition,
  type AgentFormat,
  type AgentScope,
  defaultTimeoutSeconds,
} from "./agent.ts";
import { fileStem } from "./common-fields.ts";
import { formatOf } from "./format-of.ts";
import { hasMisplacedFrontmatter } from "./misplaced-frontmatter.ts";
import { parseAgent } from "./parse-agent.ts";
import { readProgram } from "./program-agent.ts";

/** A file to load, and by which format. */
export interface AgentFileRequest {
  /** Absolute. */
  path: string;
  /** Absent = what {@link formatOf} says. */
  format?: AgentFormat;
  scope: AgentScope;
  isTrusted: (path: string) => boolean;
  /** Whether a program changed after its code could have been read by anybody; its code is not run then. Absent = none did. */
  isLater?: ((path: string) => Promise<boolean>) | undefined;
}

/** What a file came to: a definition (perhaps with errors), or `null` and why it is none. */
export interface LoadedFile {
  definition: AgentDefinition | null;
  diagnostics: Diagnostic[];
}

/** Loads one definition file. Nothing is thrown for what the file says. */
export async function loadFile(request: AgentFileRequest): Promise<LoadedFile> {
  const { path, scope, isTrusted } = request;
  if ((request.format ?? formatOf(path)) === "program") {
    // The user's own programs are as trusted as the user.
    const mayRun = scope === "user" || isTrusted(path);
    const isLater = (await request.isLater?.(path)) ?? false;
    return loaded(await readProgram({ path, scope, isTrusted: mayRun, isLater }));
  }
  const { text, diagnostics } = await readTextFile(path);
  if (text === null) return loaded(unreadable(request, diagnostics));
  const format = request.format ?? formatOf(path, text);
  const definition = isReadme(path, text) ? null : parseAgent(format, { path, text, scope });
  if (definition === null) return { definition, diagnostics: [...diagnostics, prose(path, text)] };
  return loaded({ ...definition, diagnostics: [...diagnostics, ...definition.diagnostics] });
}

function loaded(definition: AgentDefinition): LoadedFile {
  return { definition, diagnostics: [...definition.diagnostics] };
}

/** A README explains the folder; only with frontmatter could it be meant as an agent. */
function isReadme(path: string, text: string): boolean {
  return basename(path).toLowerCase() === "readme.md" && !text.trimStart().startsWith("---");
}

function prose(path: string, text: string): Diagnostic {
  if (hasMisplacedFrontmatter(text) && basename(path).toLowerCase() !== "readme.md") {
    const message =
      "This looks like an agent, but its frontmatter does not begin with `---` on the first line; not used.";
    const fix = "Begin the file with a line of just `---`, without spaces or text before it.";
    const place = { path, line: 1, column: 1 };
    return { ...place, severity: "warning", code: "frontmatter-misplaced", message, fix };
  }
  const message = "No frontmatter: this is prose, not an agent.";
  const fix =
    "Nothing has to be done; an agent begins with `---`, `name:`, `description:` and `---`.";
  return { path, line: 1, column: 1, severity: "info", code: "prose-skipped", message, fix };
}

function unreadable(request: AgentFileRequest, diagnostics: Diagnostic[]): AgentDefinition {
  const { path, scope } = request;
  const format = request.format ?? formatOf(path);
  return {
    name: fileStem(path),
    description: "",
    systemPrompt: "",
    timeoutSeconds: defaultTimeoutSeconds,
    source: { format, scope, path },
    diagnostics,
    lines: {},
  };
}
