import { decodeEntities } from "../../source/html-entity.ts";

/** A piece of HTML. */
export type HtmlToken =
  | { type: "text"; text: string }
  | { type: "open"; name: string; attributes: [name: string, value: string][]; isVoid: boolean }
  | { type: "close"; name: string };

const voidNames: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta source track wbr".split(" "),
);
/** Elements whose content is no HTML. */
const rawNames: ReadonlySet<string> = new Set(["script", "style", "textarea", "title"]);

/** Cuts HTML into tags and texts; comments and declarations are left out. Takes linear time. */
export function readHtml(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  const lower = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    const end = open === -1 ? html.length : open;
    if (end > at) tokens.push({ type: "text", text: decodeEntities(html.slice(at, end)) });
    if (open === -1) break;
    at = readTag(tokens, html, lower, open);
  }
  return tokens;
}

const head = /<(\/?)([a-z][a-z0-9:-]{0,60})/y;

function readTag(tokens: HtmlToken[], html: string, lower: string, open: number): number {
  if (html.startsWith("<!--", open)) return behind(html, "-->", open + 4);
  if (/[!?]/.test(html.charAt(open + 1))) return behind(html, ">", open);
  head.lastIndex = open;
  const match = head.exec(lower);
  const name = match?.[2];
  if (match === null || name === undefined) {
    tokens.push({ type: "text", text: "<" });
    return open + 1;
  }
  const end = tagEnd(html, open);
  if (match[1] === "/") {
    tokens.push({ type: "close", name });
    return end;
  }
  const tag = html.slice(open + match[0].length, end - 1);
  const isVoid = voidNames.has(name) || tag.endsWith("/");
  tokens.push({ type: "open", name, attributes: readAttributes(tag), isVoid });
  if (!rawNames.has(name) || isVoid) return end;
  const close = lower.indexOf(`</${name}`, end);
  const stop = close === -1 ? html.length : close;
  tokens.push({ type: "text", text: html.slice(end, stop) });
  return stop;
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

/** A `>` inside of quotes does not end a tag; a quote that is never closed must not take the whole page. */
function tagEnd(html: string, open: number): number {
  let quote = "";
  const limit = Math.min(html.length, open + 20_000);
  for (let at = open + 1; at < limit; at += 1) {
    const character = html.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if ((character === '"' || character === "'") && html.charAt(at - 1) === "=")
      quote = character;
    else if (character === ">") return at + 1;
  }
  return behind(html, ">", open);
}

function readAttributes(tag: string): [string, string][] {
  const pattern = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
  return [...tag.matchAll(pattern)].map(([, name = "", double, single, bare]) => [
    name.toLowerCase(),
    decodeEntities(double ?? single ?? bare ?? ""),
  ]);
}

/** A token as HTML, with the attributes in `kept`; without it with all. */
export function writeToken(token: HtmlToken, kept?: ReadonlySet<string>): string {
  if (token.type === "text") return escapeText(token.text);
  if (token.type === "close") return `</${token.name}>`;
  const attributes = token.attributes
    .filter(([name]) => kept?.has(name) ?? true)
    .map(([name, value]) => ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"`);
  return `<${token.name}${attributes.join("")}>`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
