/** Splits at commas and line ends that are not inside parentheses: `Read, Agent(a, b)` has two parts. */
export function splitCommas(text: string): string[] {
  return splitOutside(text, (character) => character === "," || character === "\n");
}

/** Splits at blanks and all that is used instead of a comma. */
export function splitLoosely(text: string): string[] {
  return splitOutside(text, (character) => /[\s,;|，、]/.test(character));
}

/** Items that were one before a list's commas took them apart: `[Agent(a, b), Read]` has two. */
export function joinParentheses(items: readonly string[]): string[] {
  const joined: string[] = [];
  let open = 0;
  for (const item of items) {
    if (open > 0) joined.push(`${joined.pop() ?? ""}, ${item}`);
    else joined.push(item);
    open = Math.max(0, open + count(item, "(") - count(item, ")"));
  }
  // A parenthesis that nothing closes joins nothing.
  return open > 0 ? [...items] : joined;
}

/** From the end, so that whether a character is inside of parentheses is known when it comes. */
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
