import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import {
  type AipModule,
  type Arguments,
  optionsOf,
  type Several,
  textArgument,
  textsOf,
  wantsExtrusion,
} from "./arguments.ts";

/** `aip.tag`: extracts `<TAG key="value">…</TAG>` from the output of models. */
export const tag: AipModule = {
  extract: (args) => answer(args, (elements) => elements.map(toValue)),
  extract_as_map: (args) =>
    answer(args, (elements) =>
      Object.fromEntries(elements.map((element) => [element.tag, toValue(element)])),
    ),
  extract_as_multi_map: (args) =>
    answer(args, (elements) => {
      const map = new Map<string, JsonValue[]>();
      for (const element of elements) {
        const same = map.get(element.tag) ?? [];
        map.set(element.tag, [...same, toValue(element)]);
      }
      return Object.fromEntries(map);
    }),
};

/** An element of a text. */
export interface TagElement {
  tag: string;
  attributes: Record<string, string>;
  content: string;
  start: number;
  /** The position after it. */
  end: number;
}

function answer(args: Arguments, shape: (elements: TagElement[]) => LuaValue): LuaValue | Several {
  const content = textArgument(args, 1);
  const names = textsOf(args, 2);
  if (names.length === 0 || names.some((name) => !/^[A-Za-z_][\w.:-]*$/.test(name)))
    throw new Error(
      `${args.name} expects names of tags in argument 2, got ${JSON.stringify(names)}`,
    );
  const elements = findElements(content, names);
  const value = shape(elements);
  if (!wantsExtrusion(args, optionsOf(args, 3))) return value;
  return { several: [value, cutOut(content, elements)] };
}

function toValue({ tag: name, attributes, content }: TagElement): JsonObject {
  const hasAttributes = Object.keys(attributes).length > 0;
  return { tag: name, ...(hasAttributes && { attrs: attributes }), content };
}

/** Removes `elements` from `content`. */
export function cutOut(content: string, elements: readonly TagElement[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of elements) {
    rest += content.slice(at, start);
    at = end;
  }
  return rest + content.slice(at);
}

/** Finds the outermost elements with one of the names, in order, without unclosed ones. */
export function findElements(content: string, names: readonly string[]): TagElement[] {
  const opening = new RegExp(
    `<(${names.map((name) => name.replaceAll(/[.]/g, "\\$&")).join("|")})(\\s[^<>]*|/)?>`,
    "g",
  );
  const elements: TagElement[] = [];
  for (let match = opening.exec(content); match !== null; match = opening.exec(content)) {
    const [whole, name = "", attributes = ""] = match;
    const start = match.index;
    if (attributes.endsWith("/")) {
      const read = readAttributes(attributes.slice(0, -1));
      elements.push({ tag: name, attributes: read, content: "", start, end: start + whole.length });
      continue;
    }
    const close = closingOf(content, name, opening.lastIndex);
    if (close === -1) continue;
    const inner = content.slice(opening.lastIndex, close);
    const end = close + name.length + 3;
    elements.push({
      tag: name,
      attributes: readAttributes(attributes),
      content: inner,
      start,
      end,
    });
    opening.lastIndex = end;
  }
  return elements;
}

/** Finds the closing tag of an element whose content begins at `from`. */
function closingOf(content: string, name: string, from: number): number {
  // Without any closing tag there is no need to count, which keeps texts with many opening tags cheap.
  if (!content.includes(`</${name}>`, from)) return -1;
  const marks = new RegExp(`<(/?)${name.replaceAll(/[.]/g, "\\$&")}(?:\\s[^<>]*)?(/?)>`, "g");
  marks.lastIndex = from;
  let depth = 1;
  for (let mark = marks.exec(content); mark !== null; mark = marks.exec(content)) {
    if (mark[1] === "/") depth -= 1;
    else if (mark[2] !== "/" && !mark[0].endsWith("/>")) depth += 1;
    if (depth === 0) return mark.index;
  }
  // An opening tag that is only mentioned must not hide the end.
  return content.indexOf(`</${name}>`, from);
}

/** Parses the attributes of a tag: `key=value`, `key="value"`, `key`. */
function readAttributes(text: string): Record<string, string> {
  const attributes: [string, string][] = [];
  const pattern = /([A-Za-z_][\w.:-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
  for (const [, key = "", double, single, bare] of text.matchAll(pattern))
    attributes.push([key, double ?? single ?? bare ?? ""]);
  return Object.fromEntries(attributes);
}
