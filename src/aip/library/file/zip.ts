import type { JsonObject } from "../../../source/json.ts";
import { createGlobTest } from "../glob.ts";
import {
  type AipModule,
  type Arguments,
  type AskHost,
  maybeTextOf,
  optionsOf,
  textArgument,
} from "../arguments.ts";

/** The size limit of one extraction, in bytes: a small archive can contain more than the disk holds. */
const maxBytes = 256 * 1024 * 1024;

/** `aip.zip`. */
export const zip: AipModule = {
  create: (args, ask) => {
    const folder = textArgument(args, 1).replace(/(?<=.)\/+$/, "");
    return ask("zip.create", folder, maybeTextOf(args, 2) ?? `${folder}.zip`, globsOf(args, 3));
  },
  extract: (args, ask) => {
    const source = textArgument(args, 1);
    const folder = (maybeTextOf(args, 2) ?? withoutEnding(source)).replace(/(?<=.)\/+$/, "");
    const files = entriesOf(args, ask, 3).filter(({ name }) => !name.endsWith("/"));
    requireSafe(source, files);
    return files.map(({ name }) => ask("zip.extract", source, name, `${folder}/${name}`) ?? null);
  },
  list: (args, ask) => entriesOf(args, ask, 2).map(({ name }) => name),
  read_text: (args, ask) => ask("zip.read_text", textArgument(args, 1), textArgument(args, 2)),
};

interface Entry extends JsonObject {
  name: string;
  size: number;
  isLink: boolean;
}

function entriesOf(args: Arguments, ask: AskHost, position: number): Entry[] {
  const entries = ask("zip.list", textArgument(args, 1)) as Entry[];
  const globs = globsOf(args, position);
  if (globs.length === 0) return entries;
  const isWanted = createGlobTest(globs);
  return entries.filter(({ name }) => isWanted(name));
}

function globsOf(args: Arguments, position: number): string[] {
  const { globs } = optionsOf(args, position);
  if (globs === undefined || globs === null) return [];
  if (Array.isArray(globs) && globs.every((glob) => typeof glob === "string")) return globs;
  throw new Error(`${args.name}: expected the option globs to be a list of strings`);
}

/** Returns the default folder: beside the archive, with its name. */
function withoutEnding(path: string): string {
  const stem = path.replace(/(?<=[^/])\.[^./]+$/, "");
  return stem === path ? `${path}-content` : stem;
}

/** Refuses the whole archive when the name of an entry leads out of the folder. */
function requireSafe(source: string, entries: readonly Entry[]): void {
  const unsafe = entries.find(
    ({ name, isLink }) =>
      isLink ||
      name === "" ||
      /^\/|^[A-Za-z]:|[\\\0]/.test(name) ||
      name.split("/").some((part) => part === ".." || part === "." || part === ""),
  );
  if (unsafe !== undefined)
    throw new Error(
      `${source} is not extracted: its entry ${JSON.stringify(unsafe.name)} is not safe`,
    );
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > maxBytes)
    throw new Error(`${source} is not extracted: it has ${size} bytes; the limit is ${maxBytes}`);
}
