import { stringify } from "yaml";
import { CadreError } from "../errors.ts";
import type { JsonObject } from "../source/json.ts";
import { type AgentDefinition, type AgentFormat, defaultMaxTurns } from "./definition/agent.ts";
import { toAgentName } from "./fields/common-fields.ts";
import { compareEffects } from "./compare-effects.ts";
import type { FormatWriter, Loss } from "./write/format-writer.ts";
import { hasTaskPlaceholder } from "./definition/inject-task.ts";
import type { TextFormat } from "./format/agent-file-format.ts";
import { findTextFormat } from "./find-format.ts";

/** A definition in another format. */
export interface Conversion {
  /** The name of the format. */
  format: string;
  /** The file's path, relative to a project's folder. */
  path: string;
  text: string;
  /** Everything the format cannot express, or expresses differently. */
  lost: Loss[];
}

/** Definitions that are more than a prompt, with their names in the error. */
const unconvertible: Readonly<Record<AgentFormat, string>> = {
  program: "a program; code",
  aip: "an .aip file; its code",
  prompt: "a prompt file; pipelines",
  recipe: "a recipe; recipes",
};

/** Fields that are not keys of a file. The instructions follow the keys. */
const unwritten = new Set(["source", "diagnostics", "lines", "origins", "systemPrompt", "extra"]);

/**
 * Converts a definition to the format `format`, one of `textFormats`. Reads the converted text again: `lost` has every
 * difference, including those that the writer did not report.
 *
 * @throws CadreError `invalid-argument` for an unknown format, `definition-invalid` for programs, `.aip` files, prompt files and
 * recipes, which are more than a prompt.
 */
export function convertAgent(definition: AgentDefinition, format: string): Conversion {
  const target = findTextFormat(format);
  const kind = unconvertible[definition.source.format];
  if (kind !== undefined) {
    const message = `The agent ${definition.name} is ${kind} cannot be converted. Convert an agent that is a prompt.`;
    throw new CadreError("definition-invalid", message);
  }
  const { writer, folders } = target;
  const lost: Loss[] = [];
  const written = shortenDescription(renameAgent(definition, writer, lost), writer, lost);
  const keys = writeKeys(written, target, lost);
  const render = writer.render ?? renderMarkdown;
  const text = render(keys, written.systemPrompt.trim());
  const path = `${folders.at(-1)?.path ?? "."}/${toAgentName(written.name)}${writer.extension}`;
  noteText(definition, writer, lost);
  const again = target.parse({ path: `/${path}`, text, scope: "project" });
  for (const loss of compareEffects(written, again)) addEffect(lost, loss);
  return { format, path, text, lost };
}

/** Adds the effect of a conversion. If the writer reported the field, its message is the reason, and only more rights are added to it. */
function addEffect(lost: Loss[], effect: Loss): void {
  const at = lost.findIndex(({ field }) => field === effect.field);
  const reported = lost[at];
  if (reported === undefined) lost.push(effect);
  else if (effect.isGain === true)
    lost[at] = { ...effect, message: `${reported.message}; ${effect.message}` };
}

function writeKeys(
  definition: AgentDefinition,
  { writer, defaults }: TextFormat,
  lost: Loss[],
): JsonObject {
  const keys: JsonObject = {};
  const effective = { ...definition, ...missingDefaults(definition, defaults) };
  const known = Object.keys(writer.fields);
  // The writer determines the order in the file: names before limits.
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

/** Returns Cadre's default for an unset field if the format has another default. */
function missingDefaults(
  definition: AgentDefinition,
  defaults: Partial<AgentDefinition> = {},
): Partial<AgentDefinition> {
  if (defaults.maxTurns === undefined || definition.maxTurns !== undefined) return {};
  return { maxTurns: defaultMaxTurns };
}

function renameAgent(
  definition: AgentDefinition,
  { takesName }: FormatWriter,
  lost: Loss[],
): AgentDefinition {
  const { name } = definition;
  if (takesName?.(name) !== false) return definition;
  const other = toAgentName(name);
  lost.push({
    field: "name",
    message: `the format does not allow the name \`${name}\`; it became \`${other}\``,
  });
  return { ...definition, name: other };
}

function shortenDescription(
  definition: AgentDefinition,
  { maxDescriptionCharacters: max = Number.POSITIVE_INFINITY }: FormatWriter,
  lost: Loss[],
): AgentDefinition {
  const { description } = definition;
  if (description.length <= max) return definition;
  lost.push({ field: "description", message: `it is cut after ${max} characters` });
  return { ...definition, description: `${description.slice(0, max - 1).trimEnd()}…` };
}

function noteText(
  { systemPrompt, extra }: AgentDefinition,
  { fillsTask = false }: FormatWriter,
  lost: Loss[],
): void {
  if (extra !== undefined) {
    const names = Object.keys(extra).join(", ");
    lost.push({ field: "extra", message: `keys without an effect are left out: ${names}` });
  }
  if (fillsTask || !hasTaskPlaceholder(systemPrompt)) return;
  lost.push({
    field: "systemPrompt",
    message: "`{{task}}` stays unchanged, because the format does not replace it with the task",
  });
}

function renderMarkdown(keys: JsonObject, instructions: string): string {
  const header = stringify(keys, { lineWidth: 0 });
  return `---\n${header}---\n\n${instructions}${instructions === "" ? "" : "\n"}`;
}
