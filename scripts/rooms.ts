import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A folder with sources. */
export interface Room {
  /** The path from the repository, such as `src/engine/loop`. */
  folder: string;
  /** Its files that begin with a `//` comment: exactly one, the main file, if the folder is in order. */
  mains: { name: string; purpose: string }[];
}

const repository = join(import.meta.dirname, "..");

/** Reads all folders with sources under `src` and `page`, sorted by path. Files directly in `src` are entry points, not a room. */
export function readRooms(): Room[] {
  const paths = globSync("{src,page}/**/*.{ts,tsx}", { cwd: repository })
    .filter((path) => !/\.test\.tsx?$/.test(path) && dirname(path) !== "src")
    .toSorted();
  return [...Map.groupBy(paths, dirname)]
    .map(([folder, own]) => ({ folder, mains: own.flatMap(readMain) }))
    .toSorted((one, other) => (one.folder < other.folder ? -1 : 1));
}

function readMain(path: string): Room["mains"] {
  const [line = ""] = readFileSync(join(repository, path), "utf8").split("\n", 1);
  if (!line.startsWith("// ")) return [];
  return [{ name: path.slice(dirname(path).length + 1), purpose: line.slice("// ".length) }];
}

/** Finds folders of which no file, or several files, say the purpose. */
export function findUnexplainedRooms(rooms: readonly Room[]): string[] {
  return rooms
    .filter(({ mains }) => mains.length !== 1)
    .map(({ folder, mains }) => {
      if (mains.length === 0) return `${folder}: no file says in its first line what it is for.`;
      const names = mains.map(({ name }) => name).join(", ");
      return `${folder}: several files say in a first line what it is for: ${names}. Begin the others with \`/**\`.`;
    });
}

/** Renders `docs/rooms.md`: a table for each part, with a row for each folder. */
export function renderRooms(rooms: readonly Room[]): string {
  const parts = Map.groupBy(rooms, ({ folder }) => partOf(folder));
  const sections = Array.from(parts, ([part, own]) =>
    [
      `## ${part}`,
      "",
      "| folder | purpose | main file |",
      "|---|---|---|",
      ...own.map((room) => renderRow(part, room)),
    ].join("\n"),
  );
  return `${[introduction, ...sections].join("\n\n")}\n`;
}

const introduction = `<!-- Written by \`npm run rooms\` from the first lines of the main files. Change those. -->

# Rooms

Every folder with sources, its purpose, and the file to read first. [Architecture](architecture.md) says how the parts depend on each
other and follows a delegation through them. Tests are beside the sources.`;

function partOf(folder: string): string {
  return folder.startsWith("src/") ? folder.split("/", 2).join("/") : "page";
}

function renderRow(part: string, { folder, mains }: Room): string {
  const name = folder === part ? folder : folder.slice(part.length + 1);
  const [main = { name: "", purpose: "" }] = mains;
  const purpose = main.purpose.replaceAll("|", "\\|");
  return `| [\`${name}/\`](../${folder}) | ${purpose} | [\`${main.name}\`](../${folder}/${main.name}) |`;
}
