/** Hooks in Claude Code's settings files, for users who already have them. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readHookCommands } from "../run/hook/read-hook-commands.ts";
import type { Diagnostic, Report } from "../source/diagnostic.ts";
import { projectFolders } from "../source/file/project-root.ts";
import { readTextFile } from "../source/file/text-file.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import { describeValue } from "../source/read-value.ts";
import { readYaml } from "../source/yaml/yaml.ts";
import type { Layer } from "./read-layer.ts";
import { findSetting, type Setting } from "./settings.ts";

/** The locations of the files. */
interface ClaudeSettingsOptions {
  /** An absolute path. */
  cwd: string;
  /** The absolute path of the user's home folder. */
  home: string;
  isTrusted: (path: string) => boolean;
}

/** The hooks of one file. */
interface ReadHooks {
  layer: Layer;
  diagnostics: Diagnostic[];
  /** Whether the file turns all hooks off. */
  isOff: boolean;
}

/**
 * Reads the hooks of `~/.claude/settings.json`, and of `settings.json` and `settings.local.json` in the project's nearest `.claude`
 * if the project is trusted. Returns a layer for each file. A file with `disableAllHooks: true` turns off the hooks of all files.
 */
export async function readClaudeHooks({ cwd, home, isTrusted }: ClaudeSettingsOptions): Promise<{
  layers: Layer[];
  diagnostics: Diagnostic[];
}> {
  const user = join(resolve(home), ".claude", "settings.json");
  const names = ["settings.json", "settings.local.json"];
  const folder = projectFolders({ cwd, home })
    .map((one) => join(one, ".claude"))
    .find((one) => names.some((name) => existsSync(join(one, name))));
  const project = folder === undefined ? [] : names.map((name) => join(folder, name));
  const files: ReadHooks[] = [await readFile(user, true)];
  for (const path of project) files.push(await readFile(path, isTrusted(path)));
  return {
    layers: files.some(({ isOff }) => isOff) ? [] : files.map(({ layer }) => layer),
    diagnostics: files.flatMap(({ diagnostics }) => diagnostics),
  };
}

async function readFile(path: string, isTrusted: boolean): Promise<ReadHooks> {
  const nothing: ReadHooks = { layer: new Map(), diagnostics: [], isOff: false };
  if (!existsSync(path)) return nothing;
  const { text, diagnostics } = await readTextFile(path);
  // JSON is YAML, and the YAML reader knows the position of each value.
  const yaml = readYaml(text ?? "", path);
  const found = [...diagnostics, ...yaml.diagnostics];
  const { hooks, disableAllHooks } = isRecord(yaml.value) ? yaml.value : {};
  const isOff = disableAllHooks === true;
  if (hooks === undefined || isOff) return { ...nothing, diagnostics: found, isOff };
  const report: Report = (keys, finding) =>
    void found.push({ path, ...yaml.positionOf("hooks", ...keys), ...finding });
  if (!isTrusted) {
    const message = "The hooks were ignored: the folder is not trusted.";
    const fix = "Read the file, then run `cadre trust` in the project.";
    report([], { severity: "warning", code: "not-trusted", message, fix });
    return { ...nothing, diagnostics: found };
  }
  if (!isRecord(hooks)) {
    const message = `Expected \`hooks\` to be a map from events to groups of commands, got ${describeValue(hooks)}.`;
    report([], { severity: "error", code: "wrong-type", message, fix: null });
    return { ...nothing, diagnostics: found };
  }
  const commands = readHookCommands(hooks, report);
  const layer: Layer = new Map();
  for (const [event, groups] of Object.entries(commands)) {
    const keys = ["hooks", event];
    const origin = `${path}:${yaml.positionOf(...keys).line}`;
    const value = groups as unknown as JsonValue;
    layer.set(keys.join("."), { keys, setting: findSetting(keys) as Setting, value, origin });
  }
  return { ...nothing, layer, diagnostics: found };
}
