import { readHtml, withoutElements } from "../../../source/html/read-html.ts";

const dropped: ReadonlySet<string> = new Set(
  "title script style noscript template svg iframe".split(" "),
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
  /** The number of cells in the table row so far. */
  cells: number;
  isHeaderRow: boolean;
}

/** Converts HTML to Markdown: headings, lists, links, images, code, quotes and tables. */
export function htmlToMarkdown(html: string): string {
  const writing: Writing = {
    parts: [],
    lists: [],
    links: [],
    preDepth: 0,
    cells: 0,
    isHeaderRow: false,
  };
  const reader = {
    open: openElement.bind(null, writing),
    close: closeElement.bind(null, writing),
    text: addText.bind(null, writing),
  };
  readHtml(html, withoutElements(dropped, reader));
  return tidy(writing.parts.join(""));
}

/** Adds text. Outside code, collapses spaces and removes them at the beginning of a line or an item. */
function addText({ parts, preDepth }: Writing, text: string): void {
  const slim = text.replaceAll(/\s+/g, " ");
  const isBegun = !/\s$/.test(parts.at(-1) ?? "\n");
  const written = preDepth > 0 ? text.replaceAll("\u00A0", " ") : isBegun ? slim : slim.trimStart();
  // Empty parts are skipped, because the last part tells whether a line has begun.
  if (written !== "") parts.push(written);
}

function openElement(
  writing: Writing,
  name: string,
  attributes: Readonly<Record<string, string>>,
): void {
  const { parts } = writing;
  if (/^h[1-6]$/.test(name)) parts.push(`\n\n${"#".repeat(Number(name.charAt(1)))} `);
  else if (name === "br") parts.push("\n");
  else if (name === "hr") parts.push("\n\n---\n\n");
  else if (name === "img") parts.push(`![${attributes["alt"] ?? ""}](${attributes["src"] ?? ""})`);
  else if (name === "ul" || name === "ol") {
    if (writing.lists.length === 0) parts.push("\n\n");
    writing.lists.push({ isOrdered: name === "ol", count: 0 });
  } else if (name === "li") openItem(writing);
  else if (name === "a") {
    writing.links.push(attributes["href"] ?? "");
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
    parts.push(`](${writing.links.pop() ?? ""})`);
  } else if (name === "pre") {
    writing.preDepth -= 1;
    parts.push("\n```\n\n");
  } else if (name === "td" || name === "th") parts.push(" |");
  else if (name === "tr" && writing.isHeaderRow) parts.push(`\n|${" --- |".repeat(writing.cells)}`);
  else if (Object.hasOwn(inline, name))
    parts.push(writing.preDepth > 0 ? "" : (inline[name] ?? ""));
  else if (blocks.has(name)) parts.push("\n\n");
}

/** Collapses empty lines outside code. */
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
