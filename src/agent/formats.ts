import { acaiFormat } from "./acai/acai-format.ts";
import { claudeFormat } from "./claude/claude-format.ts";
import { codexFormat } from "./codex/codex-format.ts";
import { copilotFormat } from "./copilot/copilot-format.ts";
import { cursorFormat } from "./cursor/cursor-format.ts";
import type { AgentFileFormat, TextFormat } from "./format/agent-file-format.ts";
import { geminiFormat } from "./gemini/gemini-format.ts";
import { nativeFormat } from "./native/native-format.ts";
import { openCodeFormat } from "./opencode/opencode-format.ts";
import { programFormat } from "./program/program-format.ts";

/**
 * Every agent file format, in order of precedence. If several agents in one place have the same name, the first takes precedence.
 */
export const agentFileFormats: readonly AgentFileFormat[] = [
  nativeFormat,
  programFormat,
  acaiFormat,
  claudeFormat,
  openCodeFormat,
  copilotFormat,
  geminiFormat,
  codexFormat,
  cursorFormat,
];

/** The format of a Markdown file that no format recognizes. Most collections of agents are written for Claude Code. */
export const fallbackFormat: TextFormat = claudeFormat;
