import { homedir } from "node:os";
import type { OrderedRule } from "../../run/permission.ts";
import type { OpenCodeRule } from "./opencode-permission.ts";

const fileTools = new Set(["Read", "Edit", "Write", "Grep", "Glob", "LS", "DirectoryTree"]);

/** The maximum number of Cadre patterns for one OpenCode pattern. */
const maxPatterns = 16;

/**
 * Translates an OpenCode rule with a pattern, in which `*` is any text and `?` one character, to Cadre rules for the tool.
 * Without an exact equivalent, the translation allows less and denies more.
 */
export function toOrderedRules(
  tool: string,
  names: readonly string[],
  { resource, effect }: OpenCodeRule,
): OrderedRule[] {
  const exact = toPatterns(tool, resource);
  const decision = exact === null && effect === "ask" ? "deny" : effect;
  const patterns = exact ?? (decision === "deny" ? toWiderPatterns(tool, resource) : []);
  // In OpenCode `**/.env` does not match in the top folder. Authors mean to deny every such file.
  const all =
    decision === "deny" ? patterns.map((one) => one.replace(/^\*\/\*\*/, "**")) : patterns;
  return names.flatMap((name) => all.map((one) => ({ decision, rule: `${name}(${one})` })));
}

function toPatterns(tool: string, resource: string): string[] | null {
  if (fileTools.has(tool)) return toGlobs(resource);
  if (resource.includes("?")) return null;
  if (tool === "Skill") return [`**/${escapeGlob(resource)}/SKILL.md`];
  return [toWildcard(tool, resource)];
}

function toWiderPatterns(tool: string, resource: string): string[] {
  if (!fileTools.has(tool)) return [toWildcard(tool, resource.replaceAll("?", "*"))];
  const start = toSegments(resource.slice(0, resource.indexOf("*"))).join("/");
  return [`${start}*/**`];
}

function toWildcard(tool: string, resource: string): string {
  const pattern = resource.replaceAll("\\", "\\\\");
  return tool === "Bash" ? pattern.replace(/ \*$/, ":*") : pattern;
}

/** In OpenCode `*` also matches `/`, even inside of a name: `src*` matches `src/a`. */
function toGlobs(resource: string): string[] | null {
  const segments = toSegments(resource);
  let globs: string[] | null = [""];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const below = !isLast ? "*/**" : globs.some((glob) => glob.includes("*")) ? "**/*" : "**";
    const ways: string[] = /^\*+$/.test(segment) ? [below] : spreadStars(segment);
    globs = globs.flatMap((glob) =>
      ways.map((alternative) => (index === 0 ? alternative : `${glob}/${alternative}`)),
    );
    if (globs.length > maxPatterns) return null;
  }
  return globs;
}

/** Replaces each star in a name by a star within the name, and by folders between its parts. */
function spreadStars(segment: string): string[] {
  const [first = "", ...parts] = segment.split(/\*+/);
  return parts.slice(0, maxPatterns).reduce(
    (ways, part, index) =>
      ways.slice(0, maxPatterns).flatMap((alternative) => {
        if (index === parts.length - 1 && part === "")
          return [`${alternative}*`, `${alternative}*/**`];
        return alternative === ""
          ? [`**/*${part}`]
          : [`${alternative}*${part}`, `${alternative}*/**/*${part}`];
      }),
    [first],
  );
}

function toSegments(resource: string): string[] {
  const path = resource.replace(/^(?:~|\$HOME)(?=\/|$)/, homedir()).replace(/^\.\//, "");
  return escapeGlob(path.replaceAll("\\", "/")).split("/");
}

/** Characters that are special in Cadre's patterns and plain in OpenCode's. */
function escapeGlob(text: string): string {
  return text.replaceAll(/[[\]{}()!+@|]/g, String.raw`\$&`);
}
