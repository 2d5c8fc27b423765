import type { JsonValue } from "../../source/json.ts";

const reference =
  /(!?)\[((?:[^[\]\\]|\\.){0,2000})\]\(\s*<?([^()\s<>]{0,2000}(?:\([^()\s]{0,500}\)[^()\s<>]{0,500})?)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;

/** The links and images of a Markdown text, outside of code. */
export function findReferences(content: string): JsonValue[] {
  const found: JsonValue[] = [];
  let fence = 0;
  for (const line of content.split("\n")) {
    const ticks = /^`{3,}/.exec(line)?.[0].length ?? 0;
    if (ticks > 0 && (fence === 0 || ticks === fence)) fence = fence === 0 ? ticks : 0;
    if (fence > 0 || ticks > 0) continue;
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
