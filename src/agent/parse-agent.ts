import { parseAcai } from "./acai.ts";
import type { AgentDefinition, AgentFormat } from "./agent.ts";
import { parseClaude } from "./claude.ts";
import { parseCodex } from "./codex.ts";
import type { AgentFile } from "./common-fields.ts";
import { parseCopilot } from "./copilot.ts";
import { parseCursor } from "./cursor.ts";
import { parseGemini } from "./gemini.ts";
import { parseNative } from "./native.ts";
import { parseOpenCode } from "./opencode.ts";

/** The formats whose files are text that is read here. */
export const textFormats = [
  "cadre",
  "acai",
  "claude",
  "opencode",
  "copilot",
  "gemini",
  "codex",
  "cursor",
] as const;

/** One of {@link textFormats}. */
export type TextFormat = (typeof textFormats)[number];

const parsers: Readonly<Record<TextFormat, (file: AgentFile) => AgentDefinition | null>> = {
  cadre: parseNative,
  acai: parseAcai,
  claude: parseClaude,
  opencode: parseOpenCode,
  copilot: parseCopilot,
  gemini: parseGemini,
  codex: parseCodex,
  cursor: parseCursor,
};

/** Reads a definition by the rules of its format; `null` for prose. A format without text of its own is read as Cadre's. */
export function parseAgent(format: AgentFormat, file: AgentFile): AgentDefinition | null {
  const known = textFormats.find((one) => one === format);
  return parsers[known ?? "cadre"](file);
}
