/** Whether `rest`, what follows the colon, begins a block of text. */
export function isBlockMark(rest: string): boolean {
  return /^[|>][-+0-9]*(\s+#.*)?$/.test(rest);
}

/** What an author most likely meant by a value that is not YAML: `rest` follows the colon, `more` are the lines after. */
export function guessValue(rest: string, more: readonly string[]): string | string[] {
  if (isBlockMark(rest)) return blockText(more, rest[0] === ">");
  if (rest === "" && isListItem(more.find((line) => /\S/.test(line)))) {
    return listItems(more);
  }
  const text = [rest, ...more.map((line) => line.trim())].join("\n").trim();
  if (isFlowList(text)) return flowItems(text);
  return unquote(text);
}

function blockText(lines: readonly string[], isFolded: boolean): string {
  const expanded = lines.map((line) => line.replaceAll("\t", "  ").trimEnd());
  const indents = expanded.filter((line) => line !== "").map((line) => line.search(/\S/));
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  const text = expanded
    .map((line) => line.slice(indent))
    .join("\n")
    .trim();
  return isFolded ? text.replace(/([^\n])\n(?!\n)/g, "$1 ") : text;
}

/** Markdown's marks too: people mix the two up. */
const listMark = /^\s*(?:[-*•]\s+|-(?=[A-Za-z]))/;

/** `[WIP] checks things: all` begins with brackets and is text. */
function isFlowList(text: string): boolean {
  return text.startsWith("[") && /^[^\]]*$|\][\s,]*(#.*)?$/.test(text);
}

function isListItem(line: string | undefined): boolean {
  return line !== undefined && listMark.test(line);
}

function listItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const last = items.length - 1;
    if (isListItem(line)) items.push(line.replace(listMark, "").trim());
    else if (/\S/.test(line)) items[last] = `${items[last] ?? ""} ${line.trim()}`;
  }
  return items.map(unquote);
}

function flowItems(text: string): string[] {
  const inner = text.replace(/^\[/, "").replace(/\][^\]]*$/, "");
  // A comma may be missing between two in quotes.
  const items = inner.split(/[,\n]|(?<=["'])\s+(?=["'])/).map((item) => unquote(item.trim()));
  return items.filter((item) => item !== "");
}

/** Takes the quotes off, unless the same quote also occurs inside: then it is not one quoted text. */
function unquote(text: string): string {
  const mark = text[0];
  const isQuoted = text.length >= 2 && (mark === '"' || mark === "'") && text.endsWith(mark);
  const inner = text.slice(1, -1);
  if (!isQuoted || inner.includes(mark)) return text;
  return mark === '"' ? inner.replaceAll("\\n", "\n") : inner;
}
