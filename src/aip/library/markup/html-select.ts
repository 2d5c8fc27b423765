import { compile, selectAll } from "css-select";
import type { AnyNode, Element } from "domhandler";
import { DomUtils } from "htmlparser2";
import { parseHtml } from "../../../source/html/read-html.ts";
import type { JsonObject, JsonValue } from "../../../source/json.ts";
import { writeInside } from "./write-html.ts";
import { errorMessage } from "../../../error-message.ts";

/**
 * Selects the elements that any CSS selector matches, in page order.
 *
 * @param name - The function that is called, for errors.
 */
export function selectElements(
  html: string,
  selectors: readonly string[],
  name: string,
): JsonValue[] {
  for (const selector of selectors) checkSelector(selector, name);
  const found = selectAll<AnyNode, Element>(selectors.join(","), parseHtml(html));
  return found.map(describe);
}

function checkSelector(selector: string, name: string): void {
  if (selector.trim() === "") throw new Error(`${name} expects selectors that are not empty`);
  try {
    compile(selector);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`${name} cannot read the selector ${JSON.stringify(selector)}: ${reason}`, {
      cause: error,
    });
  }
}

function describe(element: Element): JsonObject {
  const { name, attribs } = element;
  return {
    tag: name,
    ...(Object.keys(attribs).length > 0 && { attrs: { ...attribs } }),
    text: DomUtils.textContent(element).trim(),
    inner_html: writeInside(element).trim(),
  };
}
