import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { createLineIndex } from "../../source/position.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import type { RecipeTemplate } from "../recipe.ts";
import { findReferences, type TemplateReferences } from "./template-names.ts";

/** The maximum number of files that a recipe includes, directly or indirectly. */
const maxFiles = 100;

/** The files included by a recipe, and the names used in them. */
export interface IncludedFiles {
  files: RecipeTemplate["files"];
  names: Set<string>;
  diagnostics: Diagnostic[];
}

/** Reads every file that a recipe includes, extends or imports. All must be in the recipe's folder. */
export async function readIncludedFiles(path: string, text: string): Promise<IncludedFiles> {
  const folder = (await resolveReal(dirname(path))) ?? dirname(path);
  const found: IncludedFiles = { files: [], names: new Set(), diagnostics: [] };
  const files: RecipeTemplate["files"][number][] = [];
  const pending = [{ path, text }];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const references = findReferences(next.text);
    if (next.path !== path) for (const { name } of references.names) found.names.add(name);
    for (const reference of references.files) {
      if (files.some(({ name }) => name === reference.name)) continue;
      const file = await readIncluded(folder, reference, files.length);
      if ("problem" in file) {
        if (file.problem !== null) found.diagnostics.push(placed(next, reference.at, file.problem));
        continue;
      }
      files.push(file);
      pending.push(file);
    }
  }
  return { ...found, files };
}

type Problem = Pick<Diagnostic, "code" | "message" | "fix">;
type Reference = TemplateReferences["files"][number];

async function readIncluded(
  folder: string,
  { name, isOptional }: Reference,
  count: number,
): Promise<RecipeTemplate["files"][number] | { problem: Problem | null }> {
  if (name === null) return { problem: computedName };
  if (count >= maxFiles) return { problem: tooMany };
  const isOutside = isAbsolute(name) || relative(folder, resolve(folder, name)).startsWith("..");
  const real = isOutside ? null : await resolveReal(resolve(folder, name));
  if (isOutside || (real !== null && !isInside(real, folder))) return { problem: outside(name) };
  if (real === null) return { problem: isOptional ? null : missing(name, folder) };
  const { text, diagnostics } = await readTextFile(real);
  if (text !== null) return { name, path: real, text };
  const [first] = diagnostics;
  const message = `The template \`${name}\` cannot be read: ${first?.message ?? ""}`;
  return { problem: { code: "template-unreadable", message, fix: first?.fix ?? null } };
}

function placed(
  { path, text }: { path: string; text: string },
  at: number,
  problem: Problem,
): Diagnostic {
  return { path, ...createLineIndex(text)(at), severity: "error", ...problem };
}

const computedName: Problem = {
  code: "template-computed",
  message: "Expected the name of a template in quotes, got a computed name.",
  fix: 'Write `{% include "name.md" %}`, inside an `{% if %}` if it depends on a condition.',
};

const tooMany: Problem = {
  code: "template-too-many",
  message: `Expected at most ${maxFiles} included templates, got more.`,
  fix: "Combine some of them.",
};

function outside(name: string): Problem {
  const message = `The template \`${name}\` is outside the recipe's folder, which must contain all templates.`;
  const fix = `Copy the file beside the recipe, and write its name${name.includes(sep) ? " without `..` and a leading `/`" : ""}.`;
  return { code: "template-outside", message, fix };
}

function missing(name: string, folder: string): Problem {
  const message = `Expected the template \`${name}\` in ${folder}, but nothing is there.`;
  return { code: "template-missing", message, fix: "Check its name, or remove the line." };
}
