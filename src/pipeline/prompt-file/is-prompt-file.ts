import { extname } from "node:path";
import { splitFrontmatter } from "../../source/yaml/frontmatter.ts";
import { knownParameters } from "./parameter.ts";

/** The keys that identify the frontmatter of an agent. */
const agentKey = /^["']?(?:name|description)["']?[ \t]*:/m;
/** The keys that only prompt files have. Agents have `model`, too. */
const promptKeys = [
  "sub_agents",
  "auto_context",
  ...knownParameters.filter((name) => name !== "model"),
];
const promptKey = new RegExp(`^["']?(?:${promptKeys.join("|")})["']?[ \\t]*:`, "m");

/**
 * Reports whether a Markdown file is the prompt file of a pipeline rather than the definition of an agent: it has parameters in a
 * form that only prompt files use, or no frontmatter that names or describes an agent.
 */
export function isPromptFile(path: string, text: string): boolean {
  if (extname(path).toLowerCase() !== ".md") return false;
  const { kind, header } = splitFrontmatter(text);
  return hasPipelineParameters(text) || kind === "none" || !agentKey.test(header);
}

/** Reports whether a text has parameters, or a syntax of parameters, that only prompt files use. */
function hasPipelineParameters(text: string): boolean {
  if (/^\s*\+\+\+[ \t]*\n/.test(text) || hasMetaBlock(text)) return true;
  return promptKey.test(splitFrontmatter(text).header);
}

function hasMetaBlock(text: string): boolean {
  return /^[ \t]*(?:`{3,}|~{3,})\w*[ \t]*\n\s*(?:#|\/\/)!meta\b/m.test(text);
}
