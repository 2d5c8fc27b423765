/** Splits text at commas and line ends outside of parentheses: `Read, Agent(a, b)` has two parts. */
export function splitCommas(text: string): string[] {
  return splitOutside(text, (character) => character === "," || character === "\n");
}

/** Splits text at spaces and at characters used in place of commas. */
export function splitLoosely(text: string): string[] {
  return splitOutside(text, (character) => /[\s,;|，、]/.test(character));
}

/** Joins items that were split at commas inside parentheses: `[Agent(a, b), Read]` has two. */
export function joinParentheses(items: readonly string[]): string[] {
  const joined: string[] = [];
  let open = 0;
  for (const item of items) {
    if (open > 0) joined.push(`${joined.pop() ?? ""}, ${item}`);
    else joined.push(item);
    open = Math.max(0, open + count(item, "(") - count(item, ")"));
  }
  // An unclosed parenthesis joins nothing.
  return open > 0 ? [...items] : joined;
}

/** Scans backwards, so that it is known whether a character is inside parentheses. */
function splitOutside(text: string, isSeparator: (character: string) => boolean): string[] {
  const parts: string[] = [];
  let end = text.length;
  let isInside = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text[at] ?? "";
    if (character === ")" || character === "(") isInside = character === ")";
    else if (!isInside && isSeparator(character)) {
      parts.push(text.slice(at + 1, end));
      end = at;
    }
  }
  parts.push(text.slice(0, end));
  return parts
    .reverse()
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
