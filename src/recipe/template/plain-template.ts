import { isTemplate, scanTemplate } from "./scan-template.ts";
import { reservedWords } from "./template-names.ts";
import type { TemplateOutcome, TemplateWork } from "./template-worker.ts";

/** Longer texts are left to the engine, which limits the size of its output. */
const maxCharacters = 64 * 1024;

/**
 * Fills a template that contains only text and names, such as `Fix {{ file }}.`, as the engine would. Most recipes have no other
 * templates, and starting the engine takes ten times as long as the rest of their work. Returns `null` for any other template,
 * and when a value is missing or not a text.
 */
export function fillPlainTemplate(template: string, work: TemplateWork): TemplateOutcome | null {
  // A broken included file breaks every template, and the engine converts Windows line ends.
  if (work.files.length > 0 || template.includes("\r")) return null;
  let text = "";
  for (const { kind, start, end, inner } of scanTemplate(template)) {
    const written = template.slice(start, end);
    if (kind === "text") {
      if (isTemplate(written)) return null;
      text += written;
      continue;
    }
    const [, name] = /^\{\{\s*([A-Za-z_]\w*)\s*\}\}$/.exec(written) ?? [];
    if (kind !== "expression" || name === undefined || reservedWords.has(inner.trim())) return null;
    if (work.task === "check") continue;
    const value = Object.hasOwn(work.values, name) ? work.values[name] : undefined;
    if (typeof value !== "string") return null;
    text += value;
  }
  if (text.length > maxCharacters) return null;
  return { text: work.task === "check" ? "" : text, held: [] };
}
