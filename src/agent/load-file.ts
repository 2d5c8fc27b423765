import { basename } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { readTextFile } from "../source/file/text-file.ts";
import { type AgentDefinition, defaultTimeoutSeconds } from "./definition/agent.ts";
import { fileStem } from "./fields/common-fields.ts";
import { hasMisplacedFrontmatter } from "./fields/misplaced-frontmatter.ts";
import type { AgentFileRequest } from "./format/agent-file-format.ts";
import { formatOfPath, recognizeFormat } from "./recognize-format.ts";

/** The result of loading a file: a definition, possibly with errors, or `null` with the reason in `diagnostics`. */
export interface LoadedFile {
  definition: AgentDefinition | null;
  diagnostics: Diagnostic[];
}

/** Loads one definition file. Invalid content never throws; diagnostics describe the problems. */
export async function loadFile(request: AgentFileRequest): Promise<LoadedFile> {
  const { path, scope, ownTools } = request;
  const known = request.format ?? formatOfPath(path, request.formats);
  if (known !== undefined && "load" in known) return loaded(await known.load(request));
  const { text, diagnostics } = await readTextFile(path);
  const format = known ?? recognizeFormat(path, text ?? "", request.formats);
  if (text === null) {
    const source = { format: format.name, scope, path };
    return loaded({ ...unreadable, name: fileStem(path), source, diagnostics });
  }
  const definition = isReadme(path, text) ? null : format.parse({ path, text, scope, ownTools });
  if (definition === null) return { definition, diagnostics: [...diagnostics, prose(path, text)] };
  return loaded({ ...definition, diagnostics: [...diagnostics, ...definition.diagnostics] });
}

const unreadable = {
  description: "",
  systemPrompt: "",
  timeoutSeconds: defaultTimeoutSeconds,
  lines: {},
};

function loaded(definition: AgentDefinition): LoadedFile {
  return { definition, diagnostics: [...definition.diagnostics] };
}

/** A README explains its folder. It can be an agent only if it has frontmatter. */
function isReadme(path: string, text: string): boolean {
  return basename(path).toLowerCase() === "readme.md" && !text.trimStart().startsWith("---");
}

function prose(path: string, text: string): Diagnostic {
  if (hasMisplacedFrontmatter(text) && basename(path).toLowerCase() !== "readme.md") {
    const message =
      "This looks like an agent, but its frontmatter does not begin with `---` on the first line; not used.";
    const fix = "Begin the file with a line of just `---`, without spaces or text before it.";
    const position = { path, line: 1, column: 1 };
    return { ...position, severity: "warning", code: "frontmatter-misplaced", message, fix };
  }
  const message = "No frontmatter: this is prose, not an agent.";
  const fix = "No action is needed; an agent begins with `---`, `name:`, `description:` and `---`.";
  return { path, line: 1, column: 1, severity: "info", code: "prose-skipped", message, fix };
}
