import { readHtml, withoutElements } from "../../source/html/read-html.ts";

/** Elements whose content is not visible. */
const dropped: ReadonlySet<string> = new Set(
  "script style noscript template svg iframe object".split(" "),
);
const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header " +
    "hr li main nav ol p pre section table tr ul"
  ).split(" "),
);

interface Page {
  parts: string[];
  base: URL;
  /** The address of the open link and the index of its first part. */
  link: { href: string; from: number } | null;
  preDepth: number;
  title: string | null;
  isInTitle: boolean;
}

/** Converts an HTML page to readable text, with headings, list items and links as in Markdown. Takes linear time. */
export function htmlToText(html: string, base: URL): string {
  const page: Page = {
    parts: [],
    base,
    link: null,
    preDepth: 0,
    title: null,
    isInTitle: false,
  };
  const reader = {
    open: openElement.bind(null, page),
    close: closeElement.bind(null, page),
    text: addText.bind(null, page),
  };
  readHtml(html, withoutElements(dropped, reader));
  const text = tidy(page.parts.join(""));
  const title = collapse(page.title ?? "").trim();
  return title === "" ? text : `# ${title}\n\n${text}`;
}

function openElement(page: Page, name: string, attributes: Readonly<Record<string, string>>): void {
  if (name === "br") page.parts.push("\n");
  else if (name === "pre") page.preDepth += 1;
  else if (name === "title") page.isInTitle = true;
  if (blocks.has(name)) page.parts.push(name === "li" ? "\n" : "\n\n");
  if (/^h[1-6]$/.test(name)) page.parts.push(`${"#".repeat(Number(name.charAt(1)))} `);
  else if (name === "li") page.parts.push("- ");
  else if (name === "td" || name === "th") page.parts.push(" | ");
  else if (name === "img") page.parts.push((attributes["alt"] ?? "").trim());
  else if (name === "a") {
    closeLink(page);
    page.link = { href: (attributes["href"] ?? "").trim(), from: page.parts.length };
  }
}

function closeElement(page: Page, name: string): void {
  if (name === "a") closeLink(page);
  else if (name === "pre") page.preDepth -= 1;
  else if (name === "title") page.isInTitle = false;
  if (blocks.has(name) && name !== "li") page.parts.push(name === "tr" ? "\n" : "\n\n");
}

function closeLink(page: Page): void {
  const { link, base } = page;
  page.link = null;
  if (link === null) return;
  const text = page.parts.splice(link.from).join("").trim();
  const isUseful =
    link.href !== "" && !link.href.startsWith("#") && URL.canParse(link.href, base.href);
  const url = isUseful ? new URL(link.href, base) : null;
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  page.parts.push(isWeb && text !== "" ? `[${text}](${url.href})` : text);
}

function addText(page: Page, text: string): void {
  // Only the first title is the page's.
  if (page.isInTitle) page.title ??= text;
  else page.parts.push(page.preDepth > 0 ? text.replaceAll("\u00A0", " ") : collapse(text));
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd().replace(/^ (?=\S)/, ""));
  const kept = lines.filter((line, index) => line !== "" || lines[index - 1] !== "");
  return kept.join("\n").trim();
}
