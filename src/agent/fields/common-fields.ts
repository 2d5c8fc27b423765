import { basename, extname } from "node:path";
import type { Frontmatter } from "../../source/yaml/frontmatter.ts";
import type { AgentDefinition, AgentFormat, AgentScope, AgentSource } from "../definition/agent.ts";
import { defaultTimeoutSeconds } from "../definition/agent.ts";
import { shorten } from "../../source/read-value.ts";
import { readFlag, readNumber, readText } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** The input of a parser. */
export interface AgentFile {
  /** Absolute. */
  path: string;
  text: string;
  scope: AgentScope;
  /** The names of the program's tools, which lists and rules may use. Absent = none. */
  ownTools?: readonly string[] | undefined;
}

/** Words of `a-z 0-9` with single hyphens between them. */
const nameForm = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The maximum length of a name, in characters. */
const maxNameCharacters = 64;

/** The maximum length of a description in Cadre's and acai's formats, in characters. */
export const maxDescriptionCharacters = 1024;

/**
 * Reports whether `name` is a valid agent name: 1 to 64 characters from `a-z 0-9 -`, without hyphens at the ends or next to each
 * other.
 */
export function isAgentName(name: string): boolean {
  return name.length <= maxNameCharacters && nameForm.test(name);
}

/** Returns a file's name without its extension, which names an agent whose file sets no name. */
export function fileStem(path: string): string {
  return basename(path, extname(path)).replace(/\.(?:agent|chatmode)$/, "");
}

/**
 * Returns the name of a definition that must have its file's name. A missing or invalid name is an error, and the file's name is
 * used in lists.
 */
function readFileName(fields: Fields): string {
  const stem = fileStem(fields.path);
  const name = readText(fields, "name");
  if (name === undefined) return missingName(fields, stem);
  if (!isAgentName(name)) {
    const message = `Expected \`name\` of 1 to ${maxNameCharacters} of a-z, 0-9 and single hyphens; got \`${shorten(name)}\`.`;
    const fix = `Write \`name: ${toAgentName(name)}\`, and name the file the same`;
    fields.report(["name"], { severity: "error", code: "name-invalid", message, fix });
  } else if (name !== stem) {
    const message = `Expected \`name\` to be the file's name \`${stem}\`; got \`${name}\`.`;
    const fix = `Write \`name: ${stem}\`, or rename the file to \`${name}.md\``;
    fields.report(["name"], { severity: "error", code: "name-mismatch", message, fix });
  }
  return name;
}

/** Returns the name of a definition that must set one in any form. A form other than `usual` is a warning. */
export function readFreeName(fields: Fields, usual: RegExp = nameForm): string {
  const name = readText(fields, "name");
  if (name === undefined) return missingName(fields, fileStem(fields.path));
  if (!checkName(fields, name) || usual.test(name)) return name;
  const message = `\`name\` is usually lower-case words with hyphens; \`${shorten(name)}\` is used unchanged.`;
  const usualName = toAgentName(/[a-z0-9]/i.test(name) ? name : fileStem(fields.path));
  const fix = `Write \`name: ${usualName}\``;
  fields.report(["name"], { severity: "warning", code: "name-form", message, fix });
  return name;
}

/** Returns the name of a definition in any form; `otherwise` if its file sets none. */
export function readOptionalName(
  fields: Fields,
  otherwise: string = fileStem(fields.path),
): string {
  const name = fields.written.has("name") ? readText(fields, "name") : undefined;
  if (name !== undefined) checkName(fields, name);
  return name ?? otherwise;
}

/** Reports whether a name can be typed and shown, and reports an error if not. */
function checkName(fields: Fields, name: string): boolean {
  if (name.length <= 128 && !/\p{Cc}/u.test(name)) return true;
  const message = `Expected \`name\` of at most 128 characters on one line; got \`${shorten(name)}\`.`;
  const fix = `Write \`name: ${toAgentName(name)}\``;
  fields.report(["name"], { severity: "error", code: "name-invalid", message, fix });
  return false;
}

/** Returns the description. A missing one, or one longer than `maxCharacters`, is an error. */
export function readDescription(
  fields: Fields,
  maxCharacters: number = Number.POSITIVE_INFINITY,
): string {
  const description = readText(fields, "description");
  if (description === undefined) {
    const message = "Expected a `description`, which tells other agents when to use this one.";
    const fix = "Write `description: Reviews code for defects. Use after every change.`";
    fields.report([], { severity: "error", code: "description-missing", message, fix });
    return "";
  }
  if (description.length > maxCharacters) {
    const message = `Expected \`description\` of at most ${maxCharacters} characters; got ${description.length}.`;
    const fix = "Shorten it, and move details below the closing `---`.";
    fields.report(["description"], {
      severity: "error",
      code: "description-too-long",
      message,
      fix,
    });
  }
  return description;
}

/** Returns the description, or the first sentence of the instructions in formats where it is optional. */
export function readOptionalDescription(fields: Fields, body: string): string {
  if (fields.written.has("description")) {
    const description = readText(fields, "description");
    if (description !== undefined) return description;
  }
  const prose = body.split("\n").find((line) => /^[A-Za-z*_"'`]/.test(line.trim()));
  const sentence =
    prose?.trim().replace(/(?<=[.!?])\s.*$/, "") ?? `The agent ${fileStem(fields.path)}.`;
  const description = sentence.length > 300 ? `${sentence.slice(0, 299)}…` : sentence;
  const message = `There is no \`description\`, by which other agents choose this one; \`${shorten(description)}\` is used.`;
  const fix = "Write `description:` with when to use this agent.";
  fields.report([], { severity: "warning", code: "description-missing", message, fix });
  return description;
}

/** Returns the model; `undefined` for `inherit`, which means the parent's model. */
export function readModel(fields: Fields): string | undefined {
  const value = fields.written.get("model")?.value;
  const isText = value === null || typeof value !== "object";
  const model = isText ? readText(fields, "model") : JSON.stringify(value);
  if (model === undefined || model === "inherit") return undefined;
  if (isText && !/\s/.test(model) && model.length <= 200) return model;
  const message = `Expected \`model\` to be \`provider:model\`, an alias or \`inherit\`; got \`${shorten(model)}\`. The parent's model is used.`;
  const fix = "Write one such as `model: anthropic:claude-sonnet-4-5`";
  fields.report(["model"], { severity: "warning", code: "model-invalid", message, fix });
  return undefined;
}

/** Returns the fields that Cadre's and acai's formats share. */
export function readSharedFields(fields: Fields, frontmatter: Frontmatter): DefinitionValues {
  return {
    name: readFileName(fields),
    description: readDescription(fields, maxDescriptionCharacters),
    systemPrompt: readBody(frontmatter, fields),
    model: readModel(fields),
    timeoutSeconds: readNumber(fields, "timeoutSeconds", { min: 1, max: 3600 }),
  };
}

/** Returns the instructions of a file. An empty body is a warning. */
export function readBody(frontmatter: Frontmatter, fields: Fields): string {
  const body = frontmatter.body.trim();
  const first = frontmatter.body.length - frontmatter.body.trimStart().length;
  const blankLines = frontmatter.body.slice(0, first).split("\n").length - 1;
  fields.lines.systemPrompt = frontmatter.bodyLine + (body === "" ? 0 : blankLines);
  if (body === "") {
    const message = "The body is empty: the agent has no instructions except its task.";
    const fix = "Write its instructions below the closing `---`.";
    fields.report([], { severity: "warning", code: "body-empty", message, fix });
  }
  return body;
}

/** Returns whether the file turns a definition off, and reports it. */
export function readDisabled(fields: Fields): true | undefined {
  if (readFlag(fields, "disabled") !== true) return undefined;
  const key = fields.written.get("disabled")?.key ?? "disabled";
  const message = `\`${key}: true\` turns this agent off: it is listed, but cannot be run or delegated to.`;
  const fix = `Remove \`${key}\` to turn it on.`;
  fields.report([key], { severity: "info", code: "agent-disabled", message, fix });
  return true;
}

/** Values of a definition. `undefined` values are left out. */
export type DefinitionValues = {
  [Key in keyof AgentDefinition]?: AgentDefinition[Key] | undefined;
};

/** Builds a definition. */
export function createDefinition(
  fields: Fields,
  source: AgentSource,
  values: DefinitionValues,
): AgentDefinition {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  const { lines, extra } = fields;
  // Authors read findings from the top of the file.
  const diagnostics = fields.diagnostics.toSorted(
    (first, second) => first.line - second.line || first.column - second.column,
  );
  return {
    name: fileStem(fields.path),
    description: "",
    systemPrompt: "",
    timeoutSeconds: defaultTimeoutSeconds,
    ...(Object.fromEntries(present) as Partial<AgentDefinition>),
    ...(Object.keys(extra).length > 0 && { extra }),
    source,
    diagnostics,
    lines,
  };
}

/** Returns the source of a file's definition. */
export function sourceOf(file: AgentFile, format: AgentFormat): AgentSource {
  return { format, scope: file.scope, path: file.path };
}

function missingName(fields: Fields, stem: string): string {
  const message = "Expected a `name`; the file has none.";
  const fix = `Write \`name: ${toAgentName(stem)}\``;
  fields.report([], { severity: "error", code: "name-missing", message, fix });
  return stem;
}

/** Returns the nearest valid agent name. */
export function toAgentName(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ["agent"];
  return words.join("-").slice(0, maxNameCharacters);
}
