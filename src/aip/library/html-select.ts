import type { JsonObject, JsonValue } from "../../source/json.ts";
import { type HtmlToken, writeToken } from "./html-token.ts";

interface Element {
  name: string;
  attributes: Map<string, string>;
  parent: Element | undefined;
  /** Where its content stands among the tokens. */
  from: number;
  to: number;
}

/** A part of a selector such as `a.link[href]`, and how it hangs on the part before it. */
interface Part {
  name: string;
  id: string;
  classes: string[];
  attributes: { name: string; operator: string; value: string }[];
  isChild: boolean;
}

/**
 * The elements that one of the selectors finds, in the order of the page. Selectors are made of names, `#id`,
 * `.class`, `[attribute]`, `[attribute=value]` (also `^= $= *= ~=`), spaces, `>` and commas.
 */
export function selectElements(
  tokens: readonly HtmlToken[],
  selectors: readonly string[],
  name: string,
): JsonValue[] {
  const wanted = selectors
    .flatMap((selector) => selector.split(","))
    .map((text) => parseSelector(text, name));
  const found = buildElements(tokens).filter((element) =>
    wanted.some((parts) => fits(element, parts, parts.length - 1)),
  );
  return found.map((element) => describe(element, tokens));
}

function buildElements(tokens: readonly HtmlToken[]): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "open") {
      const element: Element = {
        name: token.name,
        attributes: new Map(token.attributes),
        parent: open.at(-1),
        from: index + 1,
        to: index + 1,
      };
      elements.push(element);
      if (!token.isVoid) open.push(element);
    } else if (token.type === "close") {
      const at = open.findLastIndex((element) => element.name === token.name);
      for (const closed of at === -1 ? [] : open.splice(at)) closed.to = index;
    }
  }
  for (const left of open) left.to = tokens.length;
  return elements;
}

const piece =
  /#([\w-]+)|\.([\w-]+)|\[\s*([\w-]+)\s*(?:([~^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\]\s]*))\s*)?\]|([\w*-]+)/y;

function parseSelector(text: string, name: string): Part[] {
  const parts: Part[] = [];
  let isChild = false;
  let part: Part | undefined;
  const selector = text.trim();
  for (let at = 0; at < selector.length;) {
    const gap = /^\s*(>)?\s*/.exec(selector.slice(at));
    if (gap !== null && gap[0] !== "") {
      isChild = gap[1] === ">";
      part = undefined;
      at += gap[0].length;
      continue;
    }
    piece.lastIndex = at;
    const match = piece.exec(selector);
    if (match === null)
      throw new Error(
        `${name} cannot read the selector ${JSON.stringify(selector)} at ${selector.slice(at, at + 20)}`,
      );
    if (part === undefined) {
      part = { name: "*", id: "", classes: [], attributes: [], isChild };
      parts.push(part);
    }
    addPiece(part, match);
    at = piece.lastIndex;
  }
  if (parts.length === 0) throw new Error(`${name} expects selectors that are not empty`);
  return parts;
}

function addPiece(part: Part, match: RegExpExecArray): void {
  const [, id, className, attribute, operator, double, single, bare, name] = match;
  if (id !== undefined) part.id = id;
  else if (className !== undefined) part.classes.push(className);
  else if (attribute !== undefined)
    part.attributes.push({
      name: attribute.toLowerCase(),
      operator: operator ?? "",
      value: double ?? single ?? bare ?? "",
    });
  else if (name !== undefined) part.name = name.toLowerCase();
}

function fits(element: Element, parts: readonly Part[], at: number): boolean {
  const part = parts[at];
  if (part === undefined || !fitsPart(element, part)) return false;
  if (at === 0) return true;
  for (let parent = element.parent; parent !== undefined; parent = parent.parent) {
    if (fits(parent, parts, at - 1)) return true;
    if (part.isChild) return false;
  }
  return false;
}

function fitsPart({ name, attributes }: Element, part: Part): boolean {
  const classes = new Set((attributes.get("class") ?? "").split(/\s+/));
  return (
    (part.name === "*" || part.name === name) &&
    (part.id === "" || attributes.get("id") === part.id) &&
    part.classes.every((wanted) => classes.has(wanted)) &&
    part.attributes.every((wanted) => fitsAttribute(attributes.get(wanted.name), wanted))
  );
}

function fitsAttribute(
  actual: string | undefined,
  { operator, value }: { operator: string; value: string },
): boolean {
  if (actual === undefined) return false;
  if (operator === "") return true;
  if (operator === "=") return actual === value;
  if (value === "") return false;
  if (operator === "^=") return actual.startsWith(value);
  if (operator === "$=") return actual.endsWith(value);
  return operator === "*=" ? actual.includes(value) : actual.split(/\s+/).includes(value);
}

function describe(
  { name, attributes, from, to }: Element,
  tokens: readonly HtmlToken[],
): JsonObject {
  const inner = tokens.slice(from, to);
  const text = inner.map((token) => (token.type === "text" ? token.text : "")).join("");
  const content = inner.map((token) => writeToken(token)).join("");
  return {
    tag: name,
    ...(attributes.size === 0 ? {} : { attrs: Object.fromEntries(attributes) }),
    text: text.trim(),
    inner_html: content.trim(),
  };
}
