import type { EntryPoint, PublicName } from "./read-entry-points.ts";

/** A page of the reference. */
export interface Page {
  /** The name of the file in `docs/api`, such as `host.md`. */
  file: string;
  text: string;
}

/** The page of a documented name, and its exported name. */
interface PagePosition {
  file: string;
  name: string;
}

/** Renders a page for each entry point. Each name appears on the page of the first entry point that exports it. */
export function renderPages(entries: readonly EntryPoint[]): Page[] {
  const places = new Map<PublicName, PagePosition>();
  for (const entry of entries) {
    for (const [name, declared] of entry.names) {
      if (!places.has(declared)) places.set(declared, { file: fileOf(entry), name });
    }
  }
  return entries.map((entry) => renderPage(entry, { entries, places }));
}

function fileOf({ name }: EntryPoint): string {
  return `${name.replace("cadre/", "").replaceAll("/", "-")}.md`;
}

interface Reference {
  entries: readonly EntryPoint[];
  places: ReadonlyMap<PublicName, PagePosition>;
}

function renderPage(entry: EntryPoint, { entries, places }: Reference): Page {
  const file = fileOf(entry);
  const own = [...entry.names].filter(([, declared]) => places.get(declared)?.file === file);
  const sorted = own.toSorted(([one], [other]) => one.localeCompare(other, "en"));
  const groups = [
    { title: "Functions and values", names: sorted.filter(([, { isType }]) => !isType) },
    { title: "Types", names: sorted.filter(([, { isType }]) => isType) },
  ].filter(({ names }) => names.length > 0);
  const link = createLinker(places, file);
  const intro = renderComment(entry.comment, link);
  const included = entries
    .filter((other) => other !== entry && isWithin(other, entry))
    .map((other) => `It also exports everything of [\`${other.name}\`](${fileOf(other)}).`);
  const parts = [
    "<!-- Written by `npm run api` from the declarations and their comments. Change those. -->",
    `# Reference: ${entry.name}`,
    [intro, ...included].join(" "),
    ...groups.map(
      ({ title, names }) => `${title}: ${names.map(([name]) => linkTo(name)).join(", ")}.`,
    ),
    ...groups.flatMap(({ title, names }) => [
      `## ${title}`,
      names.map(([name, declared]) => renderName(name, declared, link)).join("\n\n"),
    ]),
  ];
  return { file, text: `${parts.join("\n\n")}\n` };
}

function isWithin(part: EntryPoint, whole: EntryPoint): boolean {
  const all = new Set(whole.names.values());
  return part.names.size > 0 && [...part.names.values()].every((declared) => all.has(declared));
}

function linkTo(name: string, file = "", text = name): string {
  return `[\`${text}\`](${file}#${name.toLowerCase()})`;
}

/** Returns the link to a declaration or to a name in a comment. A name without a page stays code. */
type Linker = (target: PublicName | string) => string;

function createLinker(places: Reference["places"], here: string): Linker {
  const byName = new Map(Array.from(places, ([{ name }, position]) => [name, position]));
  return (target) => {
    const text = typeof target === "string" ? target : (places.get(target)?.name ?? target.name);
    const position =
      typeof target === "string" ? byName.get(target.split(".")[0] ?? "") : places.get(target);
    if (position === undefined) return `\`${text}\``;
    return linkTo(position.name, position.file === here ? "" : position.file, text);
  };
}

function renderName(name: string, declared: PublicName, link: Linker): string {
  const declaration = new RegExp(`^((?:abstract )?[a-z]+) ${declared.name}\\b`, "gm");
  const code = declared.code
    .replaceAll(declaration, `$1 ${name}`)
    .replaceAll(/\{@link ([\w.]+)\}/g, "$1");
  const used = declared.uses.toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  return [
    `### ${name}`,
    renderComment(declared.comment, link),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(used.length > 0 ? [`Uses ${used.map(link).join(", ")}.`] : []),
  ].join("\n\n");
}

/** Converts a documentation comment to Markdown. */
function renderComment(comment: string, link: Linker): string {
  return comment
    .replace(/^\/\*\*\s?/, "")
    .replace(/\s*\*\/$/, "")
    .replaceAll(/^\s*\* ?/gm, "")
    .trim()
    .replaceAll(/\{@link ([\w.]+)\}/g, (_, name: string) => link(name))
    .replaceAll(/^@param (\w+) /gm, "\n`$1`: ")
    .replaceAll(/^@throws CadreError/gm, "\nThrows `CadreError`:")
    .replaceAll(/\n{3,}/g, "\n\n");
}
