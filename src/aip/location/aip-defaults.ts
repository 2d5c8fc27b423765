import { join } from "node:path";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { type AipOptions, mergeAipOptions } from "../document/aip-options.ts";
import { baseFolder } from "./aip-location.ts";
import { parseOptionsBlock } from "../document/options-block.ts";

/** Options for all agents, and the diagnostics of their files. */
export interface AipDefaults {
  options: AipOptions;
  diagnostics: Diagnostic[];
}

/**
 * Reads the options of AIPack's own configuration: the user's in `~/.aipack-base`, overridden by those of a trusted workspace.
 * Missing files are ignored.
 */
export async function readAipDefaults({
  workspace,
  home,
  isWorkspaceTrusted = true,
}: {
  workspace: string;
  home: string;
  isWorkspaceTrusted?: boolean;
}): Promise<AipDefaults> {
  const defaults: AipDefaults = { options: {}, diagnostics: [] };
  const names = ["config-default.toml", "config.toml", "config-user.toml"];
  const paths = names.map((name) => join(baseFolder(home), name));
  const own = join(workspace, ".aipack", "config.toml");
  for (const path of [...paths, own]) {
    const { text, diagnostics } = await readTextFile(path);
    const isAbsent = diagnostics.some(({ code }) => code === "not-found");
    if (!isAbsent) defaults.diagnostics.push(...diagnostics);
    if (text === null) continue;
    if (path === own && !isWorkspaceTrusted) {
      defaults.diagnostics.push(ignored(path));
      continue;
    }
    const block = parseOptionsBlock({ code: text, line: 1 }, path, true);
    defaults.options = mergeAipOptions(defaults.options, block.options);
    defaults.diagnostics.push(...block.diagnostics);
  }
  return defaults;
}

function ignored(path: string): Diagnostic {
  const message = "Its options were ignored: the folder is not trusted.";
  const fix = "Read the file, then run `cadre trust` in the project.";
  return { path, line: 1, column: 1, severity: "warning", code: "not-trusted", message, fix };
}
