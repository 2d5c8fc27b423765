import type { ChildNode } from "domhandler";
import { isTag, isText } from "domhandler";
import { parseHtml } from "../../../source/html/read-html.ts";
import { writeInside } from "./write-html.ts";

/** Elements without visible content. */
const dropped: ReadonlySet<string> = new Set("script style link svg noscript template".split(" "));
/** The attributes that describe content. */
const kept: ReadonlySet<string> = new Set(["class", "aria-label", "href"]);

/** Removes invisible elements, comments, empty lines and most attributes from HTML. */
export function slimHtml(content: string): string {
  const document = parseHtml(content);
  document.children = slimNodes(document.children);
  const lines = writeInside(document).split("\n");
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}

function slimNodes(nodes: readonly ChildNode[]): ChildNode[] {
  return nodes.filter((node) => {
    if (!isTag(node)) return isText(node);
    if (dropped.has(node.name)) return false;
    const attributes = Object.entries(node.attribs).filter(([name]) => kept.has(name));
    node.attribs = Object.fromEntries(attributes);
    node.children = slimNodes(node.children);
    return true;
  });
}
