/** Settings that name no program, no other file and no other configuration. */
const harmlessKeys: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  /^user\.(?:name|email)$/,
  /^init\.defaultbranch$/,
  /^pull\.rebase$/,
  /^extensions\.(?:objectformat|refstorage)$/,
  /^remote\.[^\n]*\.(?:url|fetch|pushurl)$/,
  /^branch\.[^\n]*\.(?:remote|merge|rebase)$/,
];

const header = /^\[([a-z]+)(?: "([^"\\]*)")?\]$/i;
const assignment = /^([a-z][a-z\d-]*)\s*=\s*([^\\]*)$/i;

/**
 * Reports whether a git configuration executes nothing and refers to nothing else. Parses the syntax that git itself writes; any
 * other syntax, such as a continued line, counts as harmful.
 */
export function isHarmlessGitConfig(text: string): boolean {
  let section = "";
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const opened = header.exec(line);
    const [, key, value = ""] = assignment.exec(line) ?? [];
    if (opened !== null) {
      const [, name = "", sub] = opened;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
    } else if (key === undefined || !isHarmlessSetting(`${section}.${key.toLowerCase()}`, value)) {
      return false;
    }
  }
  return true;
}

function isHarmlessSetting(key: string, value: string): boolean {
  if (!harmlessKeys.some((pattern) => pattern.test(key))) return false;
  // For git, `ext::COMMAND` is a URL, and so is a path that begins like an option.
  return !key.endsWith("url") || !/::|^["']?-/.test(value);
}
