/** The characters of a word in ripgrep. */
const wordCharacters = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
const word = `[${wordCharacters}]`;

const escapes: Readonly<Record<string, string>> = {
  d: String.raw`\p{Nd}`,
  D: String.raw`\P{Nd}`,
  w: word,
  W: `[^${wordCharacters}]`,
  b: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
  B: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
  A: "(?<![^])",
  z: "(?![^])",
};

const posixClasses: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: String.raw`\s`,
  blank: String.raw`\t\x20`,
  punct: String.raw`!-\/:-@\[-\x60\{-~`,
  word: String.raw`\w`,
  xdigit: "0-9A-Fa-f",
};

/**
 * Translates a ripgrep pattern to a JavaScript expression: Unicode classes, POSIX classes, leading flags, named groups.
 *
 * @throws SyntaxError for an invalid pattern.
 */
export function translatePattern(
  pattern: string,
  options: { ignoreCase: boolean; multiline: boolean },
): RegExp {
  const leading = /^\(\?([ims]+)\)/.exec(pattern);
  const own = leading?.[1] ?? "";
  const flags = new Set(`u${own}${options.ignoreCase ? "i" : ""}${options.multiline ? "gms" : ""}`);
  return new RegExp(translate(pattern.slice(leading?.[0].length ?? 0)), [...flags].join(""));
}

function translate(pattern: string): string {
  let result = "";
  let isInClass = false;
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at, at + 16);
    const posix = isInClass ? /^\[:([a-z]+):\]/.exec(rest) : null;
    const range = posixClasses[posix?.[1] ?? ""];
    if (posix !== null && range !== undefined) {
      result += range;
      at += posix[0].length;
    } else if (rest.startsWith("\\") && rest.length > 1) {
      result += translateEscape(rest, isInClass);
      at += 2;
    } else if (!isInClass && rest.startsWith("(?P<")) {
      result += "(?<";
      at += 4;
    } else {
      if (rest.startsWith("[") && isInClass) result += "\\";
      isInClass = isInClass ? !rest.startsWith("]") : rest.startsWith("[");
      result += rest.charAt(0);
      at += 1;
    }
  }
  return result;
}

function translateEscape(rest: string, isInClass: boolean): string {
  const character = rest.charAt(1);
  if (isInClass && character === "w") return wordCharacters;
  const meaning = escapes[character];
  if (meaning !== undefined && (!isInClass || "dD".includes(character))) return meaning;
  // JavaScript accepts fewer needless escapes than ripgrep.
  const isNeedless = /[^\w^$\\.*+?()[\]{}|/-]/.test(character) || (character === "-" && !isInClass);
  return isNeedless ? character : `\\${character}`;
}
