import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";

/** Replaces values in JSON that differ between two executions of the same work with placeholders, and back. */
export interface Placeholders {
  /** Replaces folders and ids in a JSON text. Placeholders are numbered in order of appearance. */
  hide(text: string): string;
  /** Does the same for values that {@link Placeholders.hide} has already replaced. */
  hideKnown(text: string): string;
  /** Restores the values. */
  show(text: string): string;
}

/** A UUID, or a run id (eight digits of a time, a dash, seven digits), in lower case. */
const idPattern =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[l-s][0-9a-z]{7}-[0-9a-z]{7}\b/;

/** A name in a path in text or JSON, without the dot that ends a sentence. */
const nameInPath = String.raw`[^/\\\s"'\`,:;)\]}]*[^/\\\s"'\`,:;)\]}.]`;

/**
 * Creates placeholders. `folders` maps the names of placeholders to absolute paths. Folders directly below the machine's temporary
 * folder become `<tmp-1>`, `<tmp-2>` …; UUIDs and run ids become `<id-1>`, `<id-2>` ….
 */
export function createPlaceholders(folders: Readonly<Record<string, string>> = {}): Placeholders {
  const names = new Map<string, string>();
  const values = new Map<string, string>();
  const counts = new Map<string, number>();
  const known = Object.entries(folders)
    .map(([name, path]) => [name, JSON.stringify(path).slice(1, -1)] as const)
    .toSorted(([, a], [, b]) => b.length - a.length);
  for (const [name, path] of known) remember(path, `<${name}>`);
  const pattern = createPattern(known.map(([, path]) => path));

  function remember(value: string, name: string): string {
    names.set(value, name);
    values.set(name, value);
    return name;
  }

  function number(value: string): string {
    const kind = value.startsWith("/") ? "tmp" : "id";
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return remember(value, `<${kind}-${count}>`);
  }

  return {
    hide: (text) => text.replace(pattern, (value) => names.get(value) ?? number(value)),
    hideKnown: (text) => text.replace(pattern, (value) => names.get(value) ?? value),
    show: (text) => text.replace(/<[a-z]+(?:-\d+)?>/g, (name) => values.get(name) ?? name),
  };
}

function createPattern(folders: readonly string[]): RegExp {
  const temporary = [...new Set([tmpdir(), realPath(tmpdir()), "/tmp"])].toSorted(
    (a, b) => b.length - a.length,
  );
  const whole = folders.map((path) => `${escapePattern(path)}(?![\\w-]|\\.\\w)`);
  const below = temporary.map((path) => `${escapePattern(path)}/${nameInPath}`);
  return new RegExp([...whole, ...below, idPattern.source].join("|"), "g");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Replaces ISO dates with a time of day by `<time>`; with `dates`, also replaces dates alone by `<date>`. */
export function hideTimes(text: string, { dates = false }: { dates?: boolean } = {}): string {
  const withoutTimes = text.replace(
    /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g,
    "<time>",
  );
  return dates ? withoutTimes.replace(/\b\d{4}-\d{2}-\d{2}\b/g, "<date>") : withoutTimes;
}
