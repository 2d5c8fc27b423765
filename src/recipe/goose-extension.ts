import type { ToolName } from "../run/tool-names.ts";

const files: readonly ToolName[] = ["Read", "Grep", "Glob", "LS", "DirectoryTree"];

/** Cadre's tools for each extension that is part of goose; empty = Cadre has none. */
const offeredFor: Readonly<Record<string, readonly ToolName[]>> = {
  developer: [...files, "Edit", "Write", "Bash"],
  analyze: files,
  skills: ["Skill"],
  summon: [
    "Agent",
    "Subagent",
    "sessions_spawn",
    "sessions_wait",
    "sessions_list",
    "sessions_send",
    "sessions_cancel",
    "context_get",
    "Skill",
  ],
  apps: [],
  autovisualiser: [],
  chatrecall: [],
  code_execution: [],
  computercontroller: [],
  extensionmanager: [],
  google_drive: [],
  jetbrains: [],
  memory: [],
  orchestrator: [],
  summarize: [],
  todo: [],
  tom: [],
  tutorial: [],
};

/** Cadre's tools for single tools of those extensions, as listed in `available_tools`. */
const offeredForTool: Readonly<Record<string, readonly ToolName[]>> = {
  shell: ["Bash"],
  text_editor: ["Read", "Edit", "Write"],
  read: ["Read"],
  read_file: ["Read"],
  view: ["Read"],
  read_image: ["Read"],
  image_processor: ["Read"],
  write: ["Write"],
  write_file: ["Write"],
  edit: ["Edit"],
  edit_file: ["Edit"],
  str_replace: ["Edit"],
  tree: ["DirectoryTree"],
  list_files: ["LS"],
  glob: ["Glob"],
  search: ["Grep"],
  ripgrep: ["Grep"],
  analyze: files,
  delegate: ["Agent", "Subagent", "sessions_spawn"],
  load: ["Skill"],
  load_skill: ["Skill"],
};

/** The names of all extensions that are part of goose. */
export const gooseExtensionNames: readonly string[] = Object.keys(offeredFor);

/** Returns goose's name for an extension: `Computer Controller` is `computercontroller`. */
export function toGooseName(name: string): string {
  const key = name.toLowerCase().replace(/\s+/g, "");
  return Object.hasOwn(offeredFor, key) ? key : name.trim();
}

/** Returns Cadre's tools for one of goose's extensions; `undefined` for an unknown name. */
export function toolsForExtension(name: string): readonly ToolName[] | undefined {
  return Object.hasOwn(offeredFor, name) ? offeredFor[name] : undefined;
}

/** Returns Cadre's tools for a tool of one of goose's extensions, with or without a prefix such as `developer__`. */
export function toolsForGooseTool(name: string): readonly ToolName[] {
  const key = name.replace(/^.*__/, "").toLowerCase();
  return Object.hasOwn(offeredForTool, key) ? (offeredForTool[key] ?? []) : [];
}
