/**
 * Reports whether a word of a `sed` command is a script that uses a command or flag of `letters`; `before` is the preceding word.
 * A script with unusual syntax counts as one that does.
 */
export function hasSedCommand(word: string, before: string, letters: "e" | "wW"): boolean {
  const isScript = /^(?:|-.*|\d+)$/s.test(before) || /^-(?:\w*e|-expr)/.test(word);
  if (!isScript || (word.startsWith("-") && !/^-(?:\w*e.|-expr)/s.test(word))) return false;
  const script = word.replace(/^-(?:-expr\w*=|\w*?e)/, "");
  // In practice, only punctuation separates the parts of a substitution.
  if (/s[^\p{ASCII}]/u.test(script)) return true;
  let flags = "";
  const rest = script
    .replaceAll(substitution, (_whole, _mark, given: string) => {
      flags += given;
      return ";";
    })
    .replaceAll(address, "0");
  const isFlag = new RegExp(`[${letters}]`).test(flags);
  return isFlag || new RegExp(`(?:^|[;{}\\n\\d$!/|,#])\\s*[${letters}]`).test(rest);
}

const substitution =
  /[sy]([!-/:-@[\]-`{-~])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1([a-zA-Z\d]*)/gs;
const address = /\/(?:\\.|[^/\\])*\//gs;
