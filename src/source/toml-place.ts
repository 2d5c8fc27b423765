import { type KeyPath, type Place, placeKey } from "./place.ts";

/** A walk over TOML that is known to be valid. */
interface Scan {
  text: string;
  at: number;
  line: number;
  lineStart: number;
  firstLine: number;
  places: Map<string, Place>;
}

/** Finds where the keys and the items of lists stand in TOML that was parsed already; the first place of a key counts. */
export function findTomlPlaces(text: string, firstLine: number): Map<string, Place> {
  const scan: Scan = { text, at: 0, line: 0, lineStart: 0, firstLine, places: new Map() };
  /** How often each `[[name]]` came, so that keys below it get its number. */
  const counts = new Map<string, number>();
  let table: KeyPath = [];
  for (skipBlank(scan); scan.at < text.length; skipBlank(scan)) {
    if (text[scan.at] === "[") table = readHeader(scan, counts);
    else readPair(scan, table);
  }
  return scan.places;
}

function readHeader(scan: Scan, counts: Map<string, number>): KeyPath {
  const place = here(scan);
  const isList = scan.text[scan.at + 1] === "[";
  scan.at += isList ? 2 : 1;
  const names = readKey(scan);
  scan.at += isList ? 2 : 1;
  const path: (string | number)[] = [];
  for (const [index, name] of names.entries()) {
    path.push(name);
    const key = placeKey(path);
    const count = counts.get(key);
    if (isList && index === names.length - 1) {
      remember(scan, path, place);
      counts.set(key, (count ?? 0) + 1);
      path.push(count ?? 0);
    } else {
      remember(scan, path, place);
      if (count !== undefined) path.push(count - 1);
    }
  }
  remember(scan, path, place);
  return path;
}

function readPair(scan: Scan, table: KeyPath): void {
  const place = here(scan);
  const names = readKey(scan);
  for (let length = 1; length <= names.length; length += 1) {
    remember(scan, [...table, ...names.slice(0, length)], place);
  }
  skipBlank(scan);
  scan.at += 1; // the `=`
  skipBlank(scan);
  readValue(scan, [...table, ...names]);
}

/** A dotted key, up to what follows it. */
function readKey(scan: Scan): string[] {
  const names: string[] = [];
  for (;;) {
    skipBlank(scan);
    const character = scan.text[scan.at];
    if (character === '"' || character === "'") names.push(readString(scan));
    else names.push(take(scan, /[\w-]*/y));
    skipBlank(scan);
    if (scan.text[scan.at] !== ".") return names;
    scan.at += 1;
  }
}

function readValue(scan: Scan, path: KeyPath): void {
  const before = scan.at;
  const character = scan.text[scan.at];
  if (character === "[") readList(scan, path);
  else if (character === "{") readInlineTable(scan, path);
  else if (character === '"' || character === "'") readString(scan);
  else take(scan, /[^,\]}#\n]*/y);
  // Whatever the text is, a walk must end.
  if (scan.at === before) scan.at += 1;
}

function readList(scan: Scan, path: KeyPath): void {
  scan.at += 1;
  for (let index = 0; ; index += 1) {
    skipBlank(scan);
    if (isEnd(scan, "]")) return;
    remember(scan, [...path, index], here(scan));
    readValue(scan, [...path, index]);
    skipBlank(scan);
    if (scan.text[scan.at] === ",") scan.at += 1;
  }
}

function readInlineTable(scan: Scan, path: KeyPath): void {
  scan.at += 1;
  for (;;) {
    skipBlank(scan);
    if (isEnd(scan, "}")) return;
    readPair(scan, path);
    skipBlank(scan);
    if (scan.text[scan.at] === ",") scan.at += 1;
  }
}

/** Steps over a closing bracket; the end of the text ends everything. */
function isEnd(scan: Scan, bracket: string): boolean {
  if (scan.at < scan.text.length && scan.text[scan.at] !== bracket) return false;
  scan.at += 1;
  return true;
}

const stringForms: readonly { open: string; form: RegExp }[] = [
  { open: '"""', form: /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}/y },
  { open: "'''", form: /'''(?:(?!''')[\s\S])*'{3,5}/y },
  { open: '"', form: /"(?:\\.|[^"\\\n])*"/y },
  { open: "'", form: /'[^'\n]*'/y },
];

function readString(scan: Scan): string {
  const found = stringForms.find(({ open }) => scan.text.startsWith(open, scan.at));
  const raw = found === undefined ? "" : take(scan, found.form);
  if (raw === "") scan.at += 1;
  return found?.open === '"' ? unescape(raw) : raw.slice(1, -1);
}

/** Only keys are looked at, and their escapes are those of JSON almost always. */
function unescape(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw.slice(1, -1);
  }
}

function skipBlank(scan: Scan): void {
  take(scan, /(?:\s|#[^\n]*)*/y);
}

/** Steps over what `form` (sticky) matches and returns it. */
function take(scan: Scan, form: RegExp): string {
  form.lastIndex = scan.at;
  const found = form.exec(scan.text)?.[0] ?? "";
  for (let at = found.indexOf("\n"); at !== -1; at = found.indexOf("\n", at + 1)) {
    scan.line += 1;
    scan.lineStart = scan.at + at + 1;
  }
  scan.at += found.length;
  return found;
}

function here(scan: Scan): Place {
  return { line: scan.firstLine + scan.line, column: scan.at - scan.lineStart + 1 };
}

function remember(scan: Scan, path: KeyPath, place: Place): void {
  const key = placeKey(path);
  if (!scan.places.has(key)) scan.places.set(key, place);
}
