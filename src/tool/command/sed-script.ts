/**
 * Whether a word of a `sed` command is a script with a command or a flag of `letters`; `before` is the word before it. A script
 * that is written in an unusual way counts as one.
 */
export function hasSedCommand(word: string, before: string, letters: "e" | "wW"): boolean {
  const isScript = /^(?:|-.*|\d+)$/s.test(before) || /^-(?:\w*e|-expr)/.test(word);
  if (!isScript || (word.startsWith("-") && !/^-(?:\w*e.|-expr)/s.test(word))) return false;
  const script = word.replace(/^-(?:-expr\w*=|\w*?e)/, "");
  // Only punctuation separates the parts of a substitution in practice.
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
