/** Reports whether `rest`, the text after the colon, begins a block scalar. */
export function isBlockMark(rest: string): boolean {
  return /^[|>][-+0-9]*(\s+#.*)?$/.test(rest);
}

/** Guesses the intended value of invalid YAML from `rest`, the text after the colon, and `more`, the lines after it. */
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

/** Matches list marks, including those of Markdown, which users confuse with those of YAML. */
const listMark = /^\s*(?:[-*•]\s+|-(?=[A-Za-z]))/;

/** Reports whether a text is a flow list. `[WIP] checks things: all` is not one. */
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
  // The comma between two quoted items may be missing.
  const items = inner.split(/[,\n]|(?<=["'])\s+(?=["'])/).map((item) => unquote(item.trim()));
  return items.filter((item) => item !== "");
}

/** Removes the quotes unless the same quote also occurs inside; such a text is not a single quoted text. */
function unquote(text: string): string {
  const mark = text[0];
  const isQuoted = text.length >= 2 && (mark === '"' || mark === "'") && text.endsWith(mark);
  const inner = text.slice(1, -1);
  if (!isQuoted || inner.includes(mark)) return text;
  return mark === '"' ? inner.replaceAll("\\n", "\n") : inner;
}
