import { decodeEntities } from "../source/html-entity.ts";

/** Elements whose content nobody reads. */
const dropped: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "head",
  "title",
]);
const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header " +
    "hr li main nav ol p pre section table tr ul"
  ).split(" "),
);

interface Page {
  parts: string[];
  base: URL;
  /** The open link's address and where its text begins. */
  link: { href: string; from: number } | null;
  preDepth: number;
}

/** Readable text of an HTML page: headings, list items and links are marked as in Markdown. Takes linear time. */
export function htmlToText(html: string, base: URL): string {
  const page: Page = { parts: [], base, link: null, preDepth: 0 };
  const title = titleOf(html);
  // Closing tags are searched for in this; lower case must not change any length.
  const lower = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    addText(page, html.slice(at, open === -1 ? html.length : open));
    if (open === -1) break;
    at = readTag(page, { html, lower, open });
  }
  closeLink(page);
  const text = tidy(page.parts.join(""));
  return title === "" ? text : `# ${title}\n\n${text}`;
}

interface Source {
  html: string;
  lower: string;
  open: number;
}

const tagHead = /<(\/?)([a-z][a-z0-9-]{0,40})/y;

/** Handles what begins at `open` and returns where to go on. */
function readTag(page: Page, source: Source): number {
  const { html, lower, open } = source;
  if (html.startsWith("<!--", open)) return after(html, "-->", open + 4);
  if (/[!?]/.test(html.charAt(open + 1))) return after(html, ">", open);
  tagHead.lastIndex = open;
  const head = tagHead.exec(lower);
  const name = head?.[2];
  if (name === undefined) {
    page.parts.push("<");
    return open + 1;
  }
  const end = tagEnd(html, open);
  const isClosing = head?.[1] === "/";
  if (!isClosing && dropped.has(name) && html.charAt(end - 2) !== "/") {
    const close = lower.indexOf(`</${name}`, end);
    return close === -1 ? html.length : after(html, ">", close);
  }
  if (isClosing) closeElement(page, name);
  else openElement(page, name, html.slice(open, end));
  return end;
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

/** A `>` inside a quoted attribute does not end a tag. */
function tagEnd(html: string, open: number): number {
  let quote = "";
  // A quote that is never closed must not take the whole page.
  const limit = Math.min(html.length, open + 10_000);
  for (let at = open + 1; at < limit; at += 1) {
    const character = html.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if ((character === '"' || character === "'") && html.charAt(at - 1) === "=")
      quote = character;
    else if (character === ">") return at + 1;
  }
  return after(html, ">", open);
}

function openElement(page: Page, name: string, tag: string): void {
  if (name === "br") page.parts.push("\n");
  else if (name === "pre") page.preDepth += 1;
  if (blocks.has(name)) page.parts.push(name === "li" ? "\n" : "\n\n");
  if (/^h[1-6]$/.test(name)) page.parts.push(`${"#".repeat(Number(name.charAt(1)))} `);
  else if (name === "li") page.parts.push("- ");
  else if (name === "td" || name === "th") page.parts.push(" | ");
  else if (name === "img") page.parts.push(attribute(tag, "alt"));
  else if (name === "a") {
    closeLink(page);
    page.link = { href: attribute(tag, "href"), from: page.parts.length };
  }
}

function closeElement(page: Page, name: string): void {
  if (name === "a") closeLink(page);
  if (name === "pre") page.preDepth = Math.max(page.preDepth - 1, 0);
  if (blocks.has(name)) page.parts.push(name === "li" || name === "tr" ? "\n" : "\n\n");
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

function attribute(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, "i").exec(
    tag,
  );
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim();
}

function addText(page: Page, raw: string): void {
  if (raw === "") return;
  const text = decodeEntities(raw);
  page.parts.push(page.preDepth > 0 ? text : text.replaceAll(/\s+/g, " "));
}

function titleOf(html: string): string {
  const start = html.slice(0, 100_000).search(/<title[\s>]/i);
  if (start === -1) return "";
  const from = html.indexOf(">", start) + 1;
  const end = html.indexOf("<", from);
  return decodeEntities(html.slice(from, end === -1 ? from : end))
    .replaceAll(/\s+/g, " ")
    .trim();
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd().replace(/^ (?=\S)/, ""));
  const kept = lines.filter((line, index) => line !== "" || lines[index - 1] !== "");
  return kept.join("\n").trim();
}
