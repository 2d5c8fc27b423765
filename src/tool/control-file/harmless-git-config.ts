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
 * Whether a git configuration executes nothing and leads nowhere. Understands what git itself writes; anything else, such
 * as a continued line, counts as harmful.
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
  // `ext::COMMAND` is a URL to git, and so is a path that an option is made of.
  return !key.endsWith("url") || !/::|^["']?-/.test(value);
}
