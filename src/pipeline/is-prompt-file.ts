import { extname } from "node:path";
import { splitFrontmatter } from "../source/frontmatter.ts";
import { knownParameters } from "./parameter.ts";

/** The keys with which an agent's frontmatter says what it is. */
const agentKey = /^["']?(?:name|description)["']?[ \t]*:/m;
/** Those of a prompt file that no agent file has; agents have a model too. */
const promptKeys = [
  "sub_agents",
  "auto_context",
  ...knownParameters.filter((name) => name !== "model"),
];
const promptKey = new RegExp(`^["']?(?:${promptKeys.join("|")})["']?[ \\t]*:`, "m");

/**
 * Whether a Markdown file is the prompt file of a pipeline rather than the definition of an agent: it has parameters as only
 * prompt files have them, or no frontmatter that names or describes an agent.
 */
export function isPromptFile(path: string, text: string): boolean {
  if (extname(path).toLowerCase() !== ".md") return false;
  const { kind, header } = splitFrontmatter(text);
  return hasPipelineParameters(text) || kind === "none" || !agentKey.test(header);
}

/** Whether a text has parameters that only prompt files have, or has them written as only prompt files do. */
function hasPipelineParameters(text: string): boolean {
  if (/^\s*\+\+\+[ \t]*\n/.test(text) || hasMetaBlock(text)) return true;
  return promptKey.test(splitFrontmatter(text).header);
}

function hasMetaBlock(text: string): boolean {
  return /^[ \t]*(?:`{3,}|~{3,})\w*[ \t]*\n\s*(?:#|\/\/)!meta\b/m.test(text);
}
