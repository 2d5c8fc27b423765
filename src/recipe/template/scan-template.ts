/** A part of a template: text, or a tag `{{ }}`, `{% %}` or `{# #}`. The content of `{% raw %}` is text. */
export interface TemplatePart {
  kind: "text" | "expression" | "statement" | "comment";
  /** The offsets of the part in the template, including braces. */
  start: number;
  end: number;
  /** The content of the braces without whitespace control marks; for text, the whole text. */
  inner: string;
}

const opening = /\{[{%#]/g;
const raw = /^\s*raw\s*$/;

/** Divides a template into consecutive parts. Unclosed braces are text. */
export function scanTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  const addText = (end: number): void => {
    if (end > at) parts.push({ kind: "text", start: at, end, inner: template.slice(at, end) });
    at = end;
  };
  for (let open = nextOpening(template, 0); open !== -1; open = nextOpening(template, at)) {
    const part = readPart(template, open);
    if (part === null) break;
    addText(open);
    parts.push(part);
    at = part.end;
    if (part.kind === "statement" && raw.test(part.inner)) addText(endOfRaw(template, at));
  }
  addText(template.length);
  return parts;
}

/** Reports whether a text contains template tags. */
export function isTemplate(text: string): boolean {
  return /\{[{%#]/.test(text);
}

/** Counts the opening marks of expressions, statements and comments in a text. */
export function countMarks(text: string): number {
  return text.match(opening)?.length ?? 0;
}

function nextOpening(template: string, from: number): number {
  opening.lastIndex = from;
  const found = opening.exec(template);
  return found?.index ?? -1;
}

function readPart(template: string, start: number): TemplatePart | null {
  const mark = template[start + 1];
  if (mark === "#") {
    const close = template.indexOf("#}", start + 2);
    return close === -1 ? null : createPart("comment", template, start, close);
  }
  const kind = mark === "%" ? "statement" : "expression";
  const closing = mark === "%" ? "%}" : "}}";
  const close = findClosing(template, start + 2, closing);
  return close === -1 ? null : createPart(kind, template, start, close);
}

function createPart(
  kind: TemplatePart["kind"],
  template: string,
  start: number,
  close: number,
): TemplatePart {
  const inner = template
    .slice(start + 2, close)
    .replace(/^[-+]/, "")
    .replace(/[-+]$/, "");
  return { kind, start, end: close + 2, inner };
}

/** Finds the closing braces outside of strings and brackets, otherwise the first closing braces. */
function findClosing(template: string, from: number, closing: string): number {
  let depth = 0;
  for (let at = from; at < template.length; at += 1) {
    const character = template[at] ?? "";
    if (depth === 0 && template.startsWith(closing, at)) return at;
    if (character === "\n" && depth > 0 && closing === "}}") break;
    if (character === '"' || character === "'") {
      const end = endOfString(template, at);
      if (end === -1) break;
      at = end;
    } else if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
  }
  return template.indexOf(closing, from);
}

/** Returns the offset of the quote that ends the string at `start`, or -1. */
function endOfString(template: string, start: number): number {
  const quote = template[start];
  for (let at = start + 1; at < template.length; at += 1) {
    if (template[at] === "\\") at += 1;
    else if (template[at] === quote) return at;
  }
  return -1;
}

function endOfRaw(template: string, from: number): number {
  const end = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
  end.lastIndex = from;
  return end.exec(template)?.index ?? template.length;
}
