import { splitFrontmatter } from "../source/frontmatter.ts";
import { foldersOf } from "./agent-folder.ts";
import { fileStem, isAgentName } from "./common-fields.ts";
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
 * own where it could be, and Claude Code's where it could not. `text` is its content, where that was read.
 */
export function formatOf(path: string, text = ""): AgentFormat {
  if (/\.m?[jt]s$/i.test(path)) return "program";
  if (/\.toml$/i.test(path)) return "codex";
  const folder = foldersOf(path).find((one) => one.extensions.includes(".md"));
  if (folder !== undefined) return folder.format;
  if (/\.(?:agent|chatmode)\.md$/i.test(path)) return "copilot";
  const { header } = splitFrontmatter(text);
  return signs.find(([, sign]) => sign.test(header))?.[0] ?? guessFormat(path, header);
}

/** Keys of Cadre's own files that no other Markdown has. */
const ownKeys =
  /^(?:timeout|timeout_?seconds|temperature|runner|agents|extensions|permission_mode|permissions|max_?depth|max_turns|budget|(?:in|out)put_?schema|cache|disabled|disallowed_tools)[ \t]*:/im;

/** The longest header of a file whose description may still be one of Cadre's. */
const longestOwnHeader = 1300;

/** Collections of agents for Claude Code have names that are not the files', and whole conversations for descriptions. */
function guessFormat(path: string, header: string): AgentFormat {
  if (header === "" || ownKeys.test(header)) return "cadre";
  const name = /^name[ \t]*:[ \t]*["']?([^"'\n]*?)["']?[ \t]*$/m.exec(header)?.[1];
  const isOwnName = name === fileStem(path) && isAgentName(name);
  return isOwnName && header.length <= longestOwnHeader ? "cadre" : "claude";
}
