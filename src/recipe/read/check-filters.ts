import type { Diagnostic } from "../../source/diagnostic.ts";
import { createLineIndex } from "../../source/position.ts";
import { performTemplates } from "../template/perform-templates.ts";
import type { RecipeTemplate } from "../recipe.ts";
import { scanTemplate } from "../template/scan-template.ts";

/** A use of a filter in a template. */
interface FilterUse {
  name: string;
  path: string;
  text: string;
  at: number;
}

/**
 * Finds uses of filters that the engine does not have. The engine reports one only when it renders it, possibly not before the
 * run.
 */
export async function checkFilters(path: string, template: RecipeTemplate): Promise<Diagnostic[]> {
  const uses = [{ path, text: template.text }, ...template.files].flatMap((file) =>
    filtersIn(file, template.literals),
  );
  const names = [...new Set(uses.map(({ name }) => name))];
  const outcomes = await performTemplates({
    task: "render",
    files: [],
    templates: names.map((name) => `{{ "" | ${name} }}`),
    values: {},
    isStrict: false,
    mark: "",
  });
  const isUnknown = (_: string, at: number): boolean =>
    outcomes[at]?.problem?.message.startsWith("unknown filter") ?? false;
  const unknown = new Set(names.filter(isUnknown));
  return uses.filter(({ name }) => unknown.has(name)).map(report);
}

function filtersIn(
  { path, text }: { path: string; text: string },
  literals: readonly string[],
): FilterUse[] {
  return scanTemplate(text)
    .filter(
      ({ kind, inner }) =>
        kind === "statement" || (kind === "expression" && !literals.includes(inner)),
    )
    .flatMap(({ start, end }) => {
      const part = text.slice(start, end);
      const withoutTexts = part.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (quoted) =>
        "'".padEnd(quoted.length - 1).concat("'"),
      );
      return [...withoutTexts.matchAll(/\|\s*([A-Za-z_]\w*)/g)].map(({ 1: name = "", index }) => ({
        name,
        path,
        text,
        at: start + index,
      }));
    });
}

function report({ name, path, text, at }: FilterUse): Diagnostic {
  const message = `\`${name}\` is not a filter of MiniJinja, so the recipe cannot be filled.`;
  const fix =
    "Use one of its filters, such as default, indent, join, lower, replace, tojson, trim or upper.";
  const position = createLineIndex(text)(at);
  return { path, ...position, severity: "error", code: "filter-unknown", message, fix };
}
