import { join } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { readTextFile } from "../source/text-file.ts";
import { type AipOptions, mergeAipOptions } from "./aip-options.ts";
import { baseFolder } from "./aip-place.ts";
import { parseOptionsBlock } from "./options-block.ts";

/** Options for all agents, and what is wrong with the files they come from. */
export interface AipDefaults {
  options: AipOptions;
  diagnostics: Diagnostic[];
}

/**
 * Reads the options of AIPack's own configuration: the user's in `~/.aipack-base`, and over them those of the workspace.
 * A file that is not there says nothing.
 */
export async function readAipDefaults({
  workspace,
  home,
}: {
  workspace: string;
  home: string;
}): Promise<AipDefaults> {
  const defaults: AipDefaults = { options: {}, diagnostics: [] };
  const names = ["config-default.toml", "config.toml", "config-user.toml"];
  const paths = names.map((name) => join(baseFolder(home), name));
  for (const path of [...paths, join(workspace, ".aipack", "config.toml")]) {
    const { text, diagnostics } = await readTextFile(path);
    const isAbsent = diagnostics.some(({ code }) => code === "not-found");
    if (!isAbsent) defaults.diagnostics.push(...diagnostics);
    if (text === null) continue;
    const block = parseOptionsBlock({ code: text, line: 1 }, path, true);
    defaults.options = mergeAipOptions(defaults.options, block.options);
    defaults.diagnostics.push(...block.diagnostics);
  }
  return defaults;
}
