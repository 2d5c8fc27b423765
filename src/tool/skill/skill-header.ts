/** The folders of skills, relative to a project or the user's home folder. */
export const skillFolders: readonly string[] = [".cadre/skills", ".acai/skills", ".claude/skills"];

/** The parsed parts of a `SKILL.md`. */
export interface SkillHeader {
  description: string;
  /** The text after the frontmatter. */
  body: string;
}

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Reads the description line by line: only this field is needed, and many real files are not valid YAML. Supports plain, quoted,
 * folded and continued values.
 */
export function readSkillHeader(text: string): SkillHeader {
  const match = frontmatter.exec(text);
  if (match === null) return { description: "", body: text };
  const lines = (match[1] ?? "").split(/\r?\n/);
  const at = lines.findIndex((line) => /^description\s*:/.test(line));
  const first = (lines[at] ?? "")
    .replace(/^description\s*:\s*/, "")
    .replace(/^[|>][+-]?\d?\s*$/, "");
  const following = at === -1 ? [] : lines.slice(at + 1);
  const end = following.findIndex((line) => /^\S/.test(line));
  const value = [first, ...following.slice(0, end === -1 ? following.length : end)];
  const description = unquote(
    value
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join(" "),
  );
  return { description, body: text.slice(match[0].length) };
}

function unquote(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
