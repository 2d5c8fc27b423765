import { performTemplates } from "./perform-templates.ts";
import { scanTemplate, type TemplatePart } from "./scan-template.ts";

/**
 * Finds the `{{ … }}` in templates that are not expressions, such as `{{ your name here }}`. As in goose they stay as written,
 * because prompts contain placeholders of other languages.
 */
export async function findLiterals(templates: readonly string[]): Promise<string[]> {
  const doubtful = new Set(
    templates.flatMap((template) =>
      scanTemplate(template)
        .filter(isDoubtful)
        .map((part) => part.inner),
    ),
  );
  const inners = [...doubtful];
  const outcomes = await performTemplates({
    task: "check",
    files: [],
    templates: inners.map((inner) => `{{${inner}}}`),
    values: {},
    isStrict: false,
    mark: "",
  });
  return inners.filter((_, index) => outcomes[index]?.problem !== undefined);
}

/** Wraps literal braces in `{% raw %}`, so that the engine keeps them. */
export function literalExpressions(template: string, literals: readonly string[]): string {
  if (literals.length === 0) return template;
  return scanTemplate(template)
    .map((part) => {
      const written = template.slice(part.start, part.end);
      const isLiteral = part.kind === "expression" && literals.includes(part.inner);
      return isLiteral ? `{% raw %}${written}{% endraw %}` : written;
    })
    .join("");
}

/** Reports whether braces may be literal. Names and quoted texts are always expressions. */
function isDoubtful({ kind, inner }: TemplatePart): boolean {
  return kind === "expression" && !/^\s*([\p{L}_][\p{L}\p{N}_]*\s*$|["'])/u.test(inner);
}
