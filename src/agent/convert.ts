import { stringify } from "yaml";
import { CadreError } from "../errors.ts";
import type { JsonObject } from "../source/json.ts";
import { acaiWriter } from "./acai-writer.ts";
import { agentFolders } from "./agent-folder.ts";
import type { AgentDefinition, AgentFormat } from "./agent.ts";
import { claudeWriter } from "./claude-writer.ts";
import { codexWriter } from "./codex-writer.ts";
import { isAgentName, toAgentName } from "./common-fields.ts";
import { compareEffects } from "./compare-effects.ts";
import { copilotWriter } from "./copilot-writer.ts";
import { cursorWriter } from "./cursor-writer.ts";
import type { FormatWriter, Loss } from "./format-writer.ts";
import { geminiWriter } from "./gemini-writer.ts";
import { hasTaskPlaceholder } from "./inject-task.ts";
import { nativeWriter } from "./native-writer.ts";
import { openCodeWriter } from "./opencode-writer.ts";
import { parseAgent, type TextFormat } from "./parse-agent.ts";

/** A definition in another format. */
export interface Conversion {
  format: TextFormat;
  /** Where the format is looked for, relative to a project's folder. */
  path: string;
  text: string;
  /** Everything the format has no way to say, or says differently. */
  lost: Loss[];
}

const writers: Readonly<Record<TextFormat, FormatWriter>> = {
  cadre: nativeWriter,
  acai: acaiWriter,
  claude: claudeWriter,
  opencode: openCodeWriter,
  copilot: copilotWriter,
  gemini: geminiWriter,
  codex: codexWriter,
  cursor: cursorWriter,
};

/** What is more than a prompt, and so has no place in a file of another format. */
const unconvertible: Partial<Record<AgentFormat, string>> = {
  program: "a program; code",
  aip: "an .aip file; its code",
  prompt: "a prompt file; pipelines",
  recipe: "a recipe; recipes",
};

/** Fields that are not written: they say where a definition is from. The instructions stand below the keys. */
const unwritten = new Set(["source", "diagnostics", "lines", "origins", "systemPrompt", "extra"]);

/**
 * Writes a definition in another format. What was written is read again, and whatever does not come back as it was is
 * among what is lost, even where the writer did not know.
 *
 * @throws CadreError `definition-invalid` for what is more than a prompt: programs, `.aip` files, prompt files and recipes.
 */
export function convertAgent(definition: AgentDefinition, format: TextFormat): Conversion {
  const kind = unconvertible[definition.source.format];
  if (kind !== undefined) {
    const message = `The agent ${definition.name} is ${kind} cannot be converted. Convert an agent that is a prompt.`;
    throw new CadreError("definition-invalid", message);
  }
  const writer = writers[format];
  const lost: Loss[] = [];
  const named = { ...definition, name: writableName(definition.name, format, lost) };
  const fit = format === "cadre" || format === "acai" ? shortenDescription(named, lost) : named;
  const keys = writeKeys(fit, writer, lost);
  const render = writer.render ?? renderMarkdown;
  const text = render(keys, fit.systemPrompt.trim());
  // Of OpenCode's two the newer one is the last.
  const folder = agentFolders.findLast((one) => one.format === format)?.path ?? "";
  const path = `${folder}/${toAgentName(fit.name)}${writer.extension}`;
  noteText(definition, format, lost);
  const again = parseAgent(format, { path: `/${path}`, text, scope: "project" });
  for (const loss of compareEffects(fit, again)) {
    const isSaid = lost.some(({ field }) => field === loss.field);
    if (!isSaid || loss.isGain === true) lost.push(loss);
  }
  return { format, path, text, lost };
}

function writeKeys(definition: AgentDefinition, writer: FormatWriter, lost: Loss[]): JsonObject {
  const keys: JsonObject = {};
  const effective = { ...definition, ...missingDefaults(definition, writer) };
  const known = Object.keys(writer.fields);
  // In the order of the writer: people read names before limits.
  const fields = [...known, ...Object.keys(effective).filter((field) => !known.includes(field))];
  for (const field of fields) {
    const value = effective[field as keyof AgentDefinition];
    if (value === undefined || unwritten.has(field)) continue;
    const write = writer.fields[field as keyof AgentDefinition] as
      | ((value: unknown, context: object) => JsonObject)
      | undefined;
    const lose = (message: string): void => {
      if (!lost.some((one) => one.field === field && one.message === message))
        lost.push({ field, message });
    };
    if (write !== undefined) Object.assign(keys, write(value, { definition, lose }));
    else if (field !== "timeoutSeconds") lose("the format has no such field");
    else if (value !== 300)
      lose(`the format has no time limit; it was ${JSON.stringify(value)} seconds`);
  }
  return keys;
}

/** What is in effect here and would be something else there, when it is not written. */
function missingDefaults(
  definition: AgentDefinition,
  { defaults }: FormatWriter,
): Partial<AgentDefinition> {
  if (defaults?.maxTurns === undefined || definition.maxTurns !== undefined) return {};
  return { maxTurns: 50 };
}

function writableName(name: string, format: TextFormat, lost: Loss[]): string {
  const isFree = format !== "cadre" && format !== "acai" && format !== "gemini";
  const isFit = format === "gemini" ? /^[a-z0-9_-]+$/.test(name) : isFree || isAgentName(name);
  if (isFit) return name;
  const other = toAgentName(name);
  lost.push({ field: "name", message: `\`${name}\` is no name there; it became \`${other}\`` });
  return other;
}

function shortenDescription(definition: AgentDefinition, lost: Loss[]): AgentDefinition {
  const { description } = definition;
  if (description.length <= 1024) return definition;
  lost.push({ field: "description", message: "it is cut after 1024 characters" });
  return { ...definition, description: `${description.slice(0, 1023).trimEnd()}…` };
}

function noteText(
  { systemPrompt, extra }: AgentDefinition,
  format: TextFormat,
  lost: Loss[],
): void {
  if (extra !== undefined) {
    const names = Object.keys(extra).join(", ");
    lost.push({ field: "extra", message: `keys without an effect here are left out: ${names}` });
  }
  if (format === "cadre" || format === "acai" || !hasTaskPlaceholder(systemPrompt)) return;
  lost.push({
    field: "systemPrompt",
    message: "`{{task}}` stays as it is: only Cadre and acai put the task in its place",
  });
}

function renderMarkdown(keys: JsonObject, instructions: string): string {
  const header = stringify(keys, { lineWidth: 0 });
  return `---\n${header}---\n\n${instructions}${instructions === "" ? "" : "\n"}`;
}
