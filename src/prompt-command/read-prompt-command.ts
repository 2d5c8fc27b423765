import { basename } from "node:path";
import { readList, readText } from "../agent/fields/field-readers.ts";
import type { FieldKeys, Fields } from "../agent/fields/fields.ts";
import { readForeignModel } from "../agent/fields/foreign-model.ts";
import { parseFrontmatter } from "../agent/fields/parse-frontmatter.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { readTextFile } from "../source/file/text-file.ts";
import type { CommandFolder } from "./command-folder.ts";
import type { PromptCommand } from "./prompt-command.ts";

const keys: FieldKeys = {
  description: ["description"],
  argumentHint: ["argument-hint"],
  argumentNames: ["arguments"],
  agent: ["agent"],
  model: ["model"],
  grants: ["allowed-tools"],
  subtask: ["subtask"],
  context: ["context"],
};

/** The maximum length of a description that is taken from the prompt, in characters. */
const maxDescriptionLength = 100;

/** Reads a command file. Invalid content never throws; diagnostics describe the problems. */
export async function readPromptCommand(
  path: string,
  name: string,
  { scope, style }: Pick<CommandFolder, "scope" | "style">,
): Promise<PromptCommand> {
  const { text, diagnostics } = await readTextFile(path);
  const { frontmatter, fields } = parseFrontmatter({ path, text: text ?? "", scope }, keys);
  const template = frontmatter.body.trim();
  if (text !== null && template === "") reportEmpty(fields);
  reportGrants(fields);
  reportForks(fields);
  return {
    name,
    description: readText(fields, "description") ?? firstLine(template),
    argumentNames: readNames(fields),
    ...omitUndefined({
      argumentHint: readHint(fields),
      agent: readText(fields, "agent"),
      model: readForeignModel(fields),
    }),
    template,
    style,
    scope,
    path,
    diagnostics: [...diagnostics, ...fields.diagnostics],
  };
}

function firstLine(template: string): string {
  const line = template.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";
  return line.length > maxDescriptionLength ? `${line.slice(0, maxDescriptionLength - 1)}…` : line;
}

/** In YAML, a hint such as `[file]` is a list. */
function readHint(fields: Fields): string | undefined {
  const value = fields.written.get("argumentHint")?.value;
  return Array.isArray(value)
    ? `[${value.map(String).join(", ")}]`
    : readText(fields, "argumentHint");
}

/** Reads a list, or names separated by spaces. */
function readNames(fields: Fields): string[] {
  const names = readList(fields, "argumentNames") ?? [];
  return names.flatMap((name) => name.split(/\s+/)).filter((name) => /^[A-Za-z_]\w*$/.test(name));
}

function reportEmpty(fields: Fields): void {
  const message = `The command ${basename(fields.path)} has no prompt.`;
  const fix = "Write the prompt below the frontmatter.";
  fields.report([], { severity: "error", code: "prompt-missing", message, fix });
}

/** Reports grants of rights, because a file of a repository cannot grant any. */
function reportGrants(fields: Fields): void {
  const field = fields.written.get("grants");
  if (field === undefined) return;
  const message = `\`${field.key}\` has no effect: only the configuration decides what a command may do without a question.`;
  const fix = "Add rules to `permissions.allow` of the configuration to allow them.";
  fields.report([field.key], { severity: "info", code: "unsupported-field", message, fix });
}

/** Reports fields that would fork the conversation. A command is always a turn of it. */
function reportForks(fields: Fields): void {
  for (const name of ["subtask", "context"]) {
    const field = fields.written.get(name);
    if (field === undefined) continue;
    const message = `\`${field.key}\` has no effect: the command is a turn of the conversation.`;
    const fix = "Ask for a sub-agent in the prompt to get one.";
    fields.report([field.key], { severity: "info", code: "unsupported-field", message, fix });
  }
}
