import type { JsonValue } from "../../../source/json.ts";
import { createFenceReader } from "../../document/fence.ts";

const reference =
  /(!?)\[((?:[^[\]\\]|\\.){0,2000})\]\(\s*<?([^()\s<>]{0,2000}(?:\([^()\s]{0,500}\)[^()\s<>]{0,500})?)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;

/** Finds the links and images of a Markdown text, outside code. */
export function findMarkdownReferences(content: string): JsonValue[] {
  const found: JsonValue[] = [];
  const isCode = createFenceReader();
  for (const line of content.split("\n")) {
    if (isCode(line)) continue;
    const plain = line.replaceAll(/(`+)(?:(?!\1).)*\1/g, (code) => " ".repeat(code.length));
    for (const [, mark, text, target] of plain.matchAll(reference)) {
      if (target === undefined || target === "") continue;
      found.push({
        _type: "MdRef",
        target,
        text: text === undefined || text === "" ? null : text,
        inline: mark === "!",
        kind: kindOf(target),
      });
    }
  }
  return found;
}

function kindOf(target: string): string {
  if (target.startsWith("#")) return "Anchor";
  return /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(target) || /^(?:mailto|tel):/i.test(target)
    ? "Url"
    : "File";
}
