import type { HtmlToken } from "./html-token.ts";

const dropped: ReadonlySet<string> = new Set(
  "head script style noscript template svg iframe".split(" "),
);
const blocks: ReadonlySet<string> = new Set(
  "address article aside body blockquote dd div dl dt fieldset figure footer form header html main nav p section table tbody thead".split(
    " ",
  ),
);
const inline: Readonly<Record<string, string>> = {
  b: "**",
  strong: "**",
  em: "_",
  i: "_",
  code: "`",
  del: "~~",
  s: "~~",
};

interface Writing {
  parts: string[];
  lists: { isOrdered: boolean; count: number }[];
  links: string[];
  preDepth: number;
  /** The dropped element around, and how deep in itself. */
  hidden: { name: string; depth: number } | undefined;
  /** Cells of the table row so far. */
  cells: number;
  isHeaderRow: boolean;
}

/** Tokens as Markdown: headings, lists, links, images, code, quotes and tables. */
export function writeMarkdown(tokens: readonly HtmlToken[]): string {
  const writing: Writing = {
    parts: [],
    lists: [],
    links: [],
    preDepth: 0,
    hidden: undefined,
    cells: 0,
    isHeaderRow: false,
  };
  for (const token of tokens) {
    if (writing.hidden !== undefined) passHidden(writing, token);
    else if (token.type === "text") addText(writing, token.text);
    else if (token.type === "close") closeElement(writing, token.name);
    else openElement(writing, token);
  }
  return tidy(writing.parts.join(""));
}

function passHidden(writing: Writing, token: HtmlToken): void {
  const { hidden } = writing;
  if (hidden === undefined || token.type === "text" || token.name !== hidden.name) return;
  hidden.depth += token.type === "close" ? -1 : Number(!token.isVoid);
  if (hidden.depth === 0) writing.hidden = undefined;
}

/** Outside of code, spaces in a row are one, and none stand at the beginning of a line or an item. */
function addText({ parts, preDepth }: Writing, text: string): void {
  const slim = text.replaceAll(/\s+/g, " ");
  const isBegun = !/\s$/.test(parts.at(-1) ?? "\n");
  const written = preDepth > 0 ? text : isBegun ? slim : slim.trimStart();
  // The last part says whether a line has begun, so none is empty.
  if (written !== "") parts.push(written);
}

function attribute(token: HtmlToken & { type: "open" }, name: string): string {
  return token.attributes.find(([key]) => key === name)?.[1] ?? "";
}

function openElement(writing: Writing, token: HtmlToken & { type: "open" }): void {
  const { name } = token;
  const { parts } = writing;
  if (dropped.has(name)) {
    if (!token.isVoid) writing.hidden = { name, depth: 1 };
  } else if (/^h[1-6]$/.test(name)) parts.push(`\n\n${"#".repeat(Number(name.charAt(1)))} `);
  else if (name === "br") parts.push("\n");
  else if (name === "hr") parts.push("\n\n---\n\n");
  else if (name === "img") parts.push(`![${attribute(token, "alt")}](${attribute(token, "src")})`);
  else if (name === "ul" || name === "ol") {
    if (writing.lists.length === 0) parts.push("\n\n");
    writing.lists.push({ isOrdered: name === "ol", count: 0 });
  } else if (name === "li") openItem(writing);
  else if (name === "a") {
    writing.links.push(attribute(token, "href"));
    parts.push("[");
  } else if (name === "pre") {
    writing.preDepth += 1;
    parts.push("\n\n```\n");
  } else if (name === "tr") {
    writing.cells = 0;
    writing.isHeaderRow = false;
    parts.push("\n|");
  } else if (name === "td" || name === "th") {
    writing.cells += 1;
    writing.isHeaderRow ||= name === "th";
    parts.push(" ");
  } else if (Object.hasOwn(inline, name))
    parts.push(writing.preDepth > 0 ? "" : (inline[name] ?? ""));
  else if (blocks.has(name)) parts.push(name === "blockquote" ? "\n\n> " : "\n\n");
}

function openItem({ lists, parts }: Writing): void {
  const list = lists.at(-1) ?? { isOrdered: false, count: 0 };
  list.count += 1;
  const mark = list.isOrdered ? `${list.count}.` : "-";
  parts.push(`\n${"    ".repeat(Math.max(lists.length - 1, 0))}${mark} `);
}

function closeElement(writing: Writing, name: string): void {
  const { parts } = writing;
  if (/^h[1-6]$/.test(name)) parts.push("\n\n");
  else if (name === "ul" || name === "ol") {
    writing.lists.pop();
    if (writing.lists.length === 0) parts.push("\n\n");
  } else if (name === "a") {
    const href = writing.links.pop();
    if (href !== undefined) parts.push(`](${href})`);
  } else if (name === "pre" && writing.preDepth > 0) {
    writing.preDepth -= 1;
    parts.push("\n```\n\n");
  } else if (name === "td" || name === "th") parts.push(" |");
  else if (name === "tr" && writing.isHeaderRow) parts.push(`\n|${" --- |".repeat(writing.cells)}`);
  else if (Object.hasOwn(inline, name))
    parts.push(writing.preDepth > 0 ? "" : (inline[name] ?? ""));
  else if (blocks.has(name)) parts.push("\n\n");
}

/** At most one empty line in a row, outside of code. */
function tidy(text: string): string {
  const lines: string[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const clean = isCode ? line : line.trimEnd().replace(/^ (?=\S)/, "");
    if (isCode || clean !== "" || lines.at(-1) !== "") lines.push(clean);
  }
  return lines.join("\n").trim();
}
