import { posix } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { createGlobTest } from "./glob.ts";
import {
  type AipModule,
  type Arguments,
  anyOf,
  isAbsent,
  listArgument,
  nameKind,
  optionsOf,
  type Several,
  textArgument,
  textsOf,
} from "./arguments.ts";

/** `aip.path`. Paths are texts with `/`; calls that read the disk go to the host. */
export const path: AipModule = {
  split: splitPath,
  join: joinPaths,
  parse: (args) => (isAbsent(args, 1) ? undefined : describePath(textArgument(args, 1))),
  diff: (args) => diffPaths(textArgument(args, 1), textArgument(args, 2)),
  parent: (args) => parentOf(textArgument(args, 1)),
  matches_glob: (args) => {
    if (isAbsent(args, 1)) return undefined;
    return createGlobTest(textsOf(args, 2))(textArgument(args, 1).replace(/^\.\//, ""));
  },
  sort_by_globs: sortByGlobs,
  resolve: (args, ask) => ask("path.resolve", textArgument(args, 1)),
  exists: (args, ask) => ask("path.kind", textArgument(args, 1)) !== null,
  is_file: (args, ask) => ask("path.kind", textArgument(args, 1)) === "file",
  is_dir: (args, ask) => ask("path.kind", textArgument(args, 1)) === "folder",
};

function splitPath(args: Arguments): Several {
  const whole = textArgument(args, 1).replace(/(?<=.)\/+$/, "");
  const at = whole.lastIndexOf("/");
  if (at === -1) return { several: ["", whole] };
  return { several: [whole.slice(0, at) || "/", whole.slice(at + 1)] };
}

function joinPaths(args: Arguments): string {
  const base = textArgument(args, 1);
  const tail = args.values.slice(1).map((part, index) => {
    if (typeof part === "string") return part;
    if (Array.isArray(part) && part.every((entry) => typeof entry === "string"))
      return part.join("/");
    throw new Error(
      `${args.name} expects strings or lists of strings, got ${nameKind(part)} as argument ${index + 2}`,
    );
  });
  const joined = [base, tail.join("")].filter((part) => part !== "").join("/");
  const slim = joined.replaceAll(/\/{2,}/g, "/");
  return base === "" ? slim.replace(/^\//, "") : slim;
}

function diffPaths(file: string, base: string): string {
  const isBothAbsolute = file.startsWith("/") === base.startsWith("/");
  return isBothAbsolute ? posix.relative(posix.join("/", base), posix.join("/", file)) : "";
}

function parentOf(whole: string): string | undefined {
  const trimmed = whole.replace(/(?<=.)\/+$/, "");
  if (trimmed === "" || trimmed === "/") return undefined;
  if (trimmed === ".") return "";
  const parent = posix.dirname(trimmed);
  return parent === "." && !trimmed.startsWith("./") ? "" : parent;
}

/** Describes a path by its name. */
export function describePath(whole: string): JsonObject {
  const name = posix.basename(whole);
  const extension = posix.extname(name);
  const dir = posix.dirname(whole);
  return {
    _type: "FileInfo",
    path: whole,
    dir: dir === "." && !whole.startsWith("./") ? "" : dir,
    name,
    stem: extension === "" ? name : name.slice(0, -extension.length),
    ext: extension.slice(1),
  };
}

/**
 * Sorts by the first matching glob (the last one with `end_weighted`), then by path; paths without a match come last, or first.
 */
function sortByGlobs(args: Arguments): JsonValue {
  const tests = textsOf(args, 2).map((glob) => createGlobTest([glob]));
  const { isEndWeighted, isRestFirst } = sortOptions(args);
  const rest = isRestFirst ? -1 : tests.length;
  const rankOf = (named: string): number => {
    const matches = (test: (path: string) => boolean): boolean => test(named);
    const rank = isEndWeighted ? tests.findLastIndex(matches) : tests.findIndex(matches);
    return rank === -1 ? rest : rank;
  };
  const ranked = listArgument(args, 1).map((item) => {
    const named = isRecord(item) ? item["path"] : item;
    if (typeof named !== "string")
      throw new Error(`${args.name} expects paths or tables with a path, got ${nameKind(item)}`);
    return { item, named, rank: rankOf(named) };
  });
  return ranked
    .sort((left, right) => left.rank - right.rank || compareText(left.named, right.named))
    .map(({ item }) => item);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Reads the third argument: `true`, `"start"`, `"end"`, or a table. */
function sortOptions(args: Arguments): { isEndWeighted: boolean; isRestFirst: boolean } {
  const given = anyOf(args, 3);
  const options = typeof given === "boolean" || typeof given === "string" ? {} : optionsOf(args, 3);
  return {
    isEndWeighted: given === true || options["end_weighted"] === true,
    isRestFirst: given === "start" || options["no_match_position"] === "start",
  };
}
