import type { ParentNode } from "domhandler";
import { DomUtils } from "htmlparser2";

/** Formats the content of an element or a document as HTML. */
export function writeInside(node: ParentNode): string {
  return DomUtils.getInnerHTML(node, { encodeEntities: "utf8", emptyAttrs: true });
}
