// Codex's agent files and configuration layers: reads and writes them.

import { join } from "node:path";
import type { TextFormat } from "../format/agent-file-format.ts";
import { deepFolder } from "../format/agent-folder.ts";
import { loadCodexRoles, mergeCodexLayers } from "./codex-layer.ts";
import { codexWriter } from "./codex-writer.ts";
import { parseCodex } from "./codex.ts";

/** The format of Codex's custom agents, as separate files and as roles of `config.toml`. */
export const codexFormat: TextFormat = {
  name: "codex",
  folders: [deepFolder(".codex", "agents")],
  extensions: [".toml"],
  parse: parseCodex,
  writer: codexWriter,
  isNamelessAgent: ({ text }) => /^developer_instructions[ \t]*=/m.test(text),
  declarations: {
    file: join(".codex", "config.toml"),
    load: loadCodexRoles,
    merge: mergeCodexLayers,
  },
};
