/** The limits of a pattern. A pattern beyond them is a mistake or a denial-of-service attempt. */
const limits = { alternatives: 500, length: 2000 } as const;

/**
 * Creates a predicate for paths with `/`. `*` and `?` match inside a name, `**` any number of folders, `[…]` a character, `{a,b}`
 * alternatives, `{a}` too; a leading `!` excludes. For every pattern, a test takes time proportional to the product of both
 * lengths. picomatch takes exponential time for some patterns, and reads `{a}`, `[!a]` and `a/**` differently from AIPack.
 *
 * @throws Error for a pattern that is too long or has too many alternatives.
 */
export function createGlobTest(globs: readonly string[]): (path: string) => boolean {
  const included = compileGlobs(globs.filter((glob) => !glob.startsWith("!")));
  const excluded = compileGlobs(
    globs.flatMap((glob) => (glob.startsWith("!") ? [glob.slice(1)] : [])),
  );
  return (path) => {
    const names = path.split("/");
    const matches = (pattern: string[]): boolean => matchFolders(pattern, names);
    return included.some(matches) && !excluded.some(matches);
  };
}

function compileGlobs(globs: readonly string[]): string[][] {
  return globs.flatMap((glob) => {
    if (glob.length > limits.length)
      throw new Error(`expected a glob of at most ${limits.length} characters`);
    return expandBraces(glob.replace(/^\.\//, "")).map((plain) => plain.split("/"));
  });
}

/** Expands `a{b,c}` to `ab` and `ac`, `a{b}` to `ab`. Unclosed braces are literal. */
function expandBraces(glob: string): string[] {
  const done: string[] = [];
  const pending = [glob];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const braces = findBraces(next);
    if (braces === undefined) done.push(next);
    else for (const choice of braces.choices) pending.push(braces.before + choice + braces.after);
    if (done.length + pending.length > limits.alternatives)
      throw new Error(
        `expected a glob with at most ${limits.alternatives} alternatives, got ${glob.slice(0, 200)}`,
      );
  }
  return done;
}

function findBraces(
  glob: string,
): { before: string; choices: string[]; after: string } | undefined {
  for (let start = glob.indexOf("{"); start !== -1; start = glob.indexOf("{", start + 1)) {
    let depth = 0;
    const choices = [""];
    for (let at = start; at < glob.length; at += 1) {
      const character = glob.charAt(at);
      if (character === "{") depth += 1;
      if (character === "}") depth -= 1;
      if (depth === 0) return { before: glob.slice(0, start), choices, after: glob.slice(at + 1) };
      if (character === "," && depth === 1) choices.push("");
      else if (at > start) choices.push((choices.pop() ?? "") + character);
    }
  }
  return undefined;
}

/** Matches folders. Backtracking only to the last `**` suffices and bounds the time. */
function matchFolders(pattern: readonly string[], names: readonly string[]): boolean {
  let at = 0;
  let name = 0;
  let retry: { at: number; name: number } | undefined;
  while (name < names.length) {
    const part = pattern[at];
    if (part === "**") {
      // A trailing `**` stands for at least one name: `a/**` matches the contents of `a`, not `a`.
      if (at === pattern.length - 1) return true;
      retry = { at: at + 1, name: name + 1 };
      at += 1;
    } else if (part !== undefined && matchName(part, names[name] ?? "")) {
      at += 1;
      name += 1;
    } else if (retry === undefined) return false;
    else {
      at = retry.at;
      name = retry.name;
      retry = { at, name: name + 1 };
    }
  }
  return at === pattern.length;
}

function matchName(pattern: string, name: string): boolean {
  let at = 0;
  let index = 0;
  let retry: { at: number; index: number } | undefined;
  while (index < name.length) {
    const step =
      pattern.charAt(at) === "*" ? undefined : matchCharacter(pattern, at, name.charAt(index));
    if (pattern.charAt(at) === "*") {
      retry = { at: at + 1, index: index + 1 };
      at += 1;
    } else if (step !== undefined) {
      at = step;
      index += 1;
    } else if (retry === undefined) return false;
    else {
      at = retry.at;
      index = retry.index;
      retry = { at, index: index + 1 };
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/** Returns the next position in the pattern when the part at `at` matches `character`. */
function matchCharacter(pattern: string, at: number, character: string): number | undefined {
  const sign = pattern.charAt(at);
  if (sign === "?") return at + 1;
  if (sign === "\\" && at + 1 < pattern.length)
    return pattern.charAt(at + 1) === character ? at + 2 : undefined;
  const end = sign === "[" ? pattern.indexOf("]", at + 2) : -1;
  if (end !== -1) return isInClass(pattern.slice(at + 1, end), character) ? end + 1 : undefined;
  return sign === character && sign !== "" ? at + 1 : undefined;
}

function isInClass(text: string, character: string): boolean {
  const isNegated = /^[!^]/.test(text);
  const body = isNegated ? text.slice(1) : text;
  let isIn = false;
  for (let at = 0; at < body.length; at += 1) {
    const isRange = body.charAt(at + 1) === "-" && at + 2 < body.length;
    const last = isRange ? body.charAt(at + 2) : body.charAt(at);
    if (body.charAt(at) <= character && character <= last) isIn = true;
    if (isRange) at += 2;
  }
  return isIn !== isNegated;
}
