import { splitFrontmatter } from "../source/frontmatter.ts";
import { foldersOf } from "./agent-folder.ts";
import type { AgentFormat } from "./agent.ts";

/** Keys, and values of them, that only one program's files have; in order, the first that is there tells. */
const signs: readonly [AgentFormat, RegExp][] = [
  ["opencode", /^mode[ \t]*:[ \t]*["']?(?:primary|subagent|all)\b/m],
  [
    "opencode",
    /^permissions?[ \t]*:(?:[ \t]*["']?(?:allow|ask|deny)\b|\s*\n[ \t]+(?!allow|ask|deny|ordered))/m,
  ],
  ["gemini", /^(?:kind[ \t]*:[ \t]*["']?(?:local|remote)\b|timeout_mins[ \t]*:)/m],
  ["cursor", /^(?:readonly|is_background)[ \t]*:/m],
  [
    "copilot",
    /^(?:mcp-servers|handoffs|argument-hint|user-invocable|disable-model-invocation)[ \t]*:/m,
  ],
  ["claude", /^(?:color|memory|hooks|mcpServers|initialPrompt)[ \t]*:/m],
];

/**
 * The format of a definition file: what its folder or its extension says, otherwise what its keys say, otherwise Cadre's
 * own. `text` is its content, where that was read.
 */
export function formatOf(path: string, text = ""): AgentFormat {
  if (/\.m?[jt]s$/.test(path)) return "program";
  if (path.endsWith(".toml")) return "codex";
  const folder = foldersOf(path).find((one) => one.extensions.includes(".md"));
  if (folder !== undefined) return folder.format;
  if (/\.(?:agent|chatmode)\.md$/.test(path)) return "copilot";
  const { header } = splitFrontmatter(text);
  return signs.find(([, sign]) => sign.test(header))?.[0] ?? "cadre";
}
