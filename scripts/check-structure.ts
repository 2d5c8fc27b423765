import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { findUnexplainedRooms, readRooms } from "./rooms.ts";

/**
 * Checks rules that no linter covers: the order of the parts, files that only their own part may import, import cycles between
 * folders, the size and purpose of folders, exported names with two meanings, and parts that must not know of processes.
 * Prints every finding and exits with 1 if there is one.
 */

/** The parts of Cadre, lowest first. A part imports only from lower parts; parts on one line do not import each other. */
const floors: readonly (readonly string[])[] = [
  [
    "node-version",
    "compile-cache",
    "omit-undefined",
    "error-message",
    "on-settled",
    "on-first-use",
    "missing-package",
    "short-run-id",
    "line-reader",
    "lru-pool",
    "trace-context",
    "version",
  ],
  ["errors", "clock", "require-node", "prompt-file"],
  ["source"],
  ["run"],
  ["agent", "config", "recipe", "aip"],
  ["registry", "model", "tool"],
  ["extension", "prompt-command"],
  ["acp-runner"],
  ["engine"],
  ["delegate", "telemetry"],
  ["pipeline", "eval"],
  ["runtime"],
  ["testing", "client", "worker"],
  ["index", "postgres", "dbos"],
  ["host", "types"],
  ["mcp", "serve", "acp"],
  ["cli"],
];

/** The floor of the public API. Parts above it use nothing below it except the lowest floor, which is independent of Cadre. */
const api = floorOf("host");

/**
 * Files that only their own part may import. Programs of other parts, such as pipelines and `.aip` agents, use the
 * `InternalContext` of `engine/program/` instead of the state of a run.
 */
const privateFiles: ReadonlySet<string> = new Set(["engine/run-context/run-context.ts"]);

/** The maximum number of files in a folder. In a larger folder, files are hard to find. */
const maxFiles = 25;

/** Folders beside `src` whose size is also limited, whatever the type of their files. */
const otherRoots = ["bench", "examples", "page", "scripts", "test"];

const repository = join(import.meta.dirname, "..");
const root = join(repository, "src");
const files = new Map(
  globSync("**/*.ts", { cwd: root }).map((path) => [path, readFileSync(join(root, path), "utf8")]),
);

function floorOf(part: string): number {
  return floors.findIndex((parts) => parts.includes(part));
}

function partOf(path: string): string {
  return path.split("/")[0]?.replace(/(\.test)?\.ts$/, "") ?? path;
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

/** Returns the files of `src` that a file imports. */
function importsOf(path: string): string[] {
  const text = files.get(path) ?? "";
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  const targets = Array.from(specifiers, ([, one = ""]) => normalize(join(dirname(path), one)));
  return targets.filter((target) => files.has(target));
}

/** Finds imports of the same or a higher part, or past the public API. */
function findUpwardImports(): string[] {
  const findings: string[] = [];
  for (const path of files.keys()) {
    const floor = floorOf(partOf(path));
    if (floor === -1) findings.push(`src/${path} is in no part: add it to the floors.`);
    for (const target of importsOf(path)) {
      const below = floorOf(partOf(target));
      const isOwn = partOf(target) === partOf(path);
      const isReachable = floor <= api || below >= api || below === 0;
      if (isOwn || (below < floor && isReachable)) continue;
      findings.push(`src/${path} imports src/${target}, which is not below it. Move the code.`);
    }
  }
  return findings;
}

/** Finds imports of another part's private files. */
function findPrivateImports(): string[] {
  return [...files.keys()].flatMap((path) =>
    importsOf(path)
      .filter((target) => privateFiles.has(target) && partOf(target) !== partOf(path))
      .map((target) => `src/${path} imports src/${target}, which only src/${partOf(target)} uses.`),
  );
}

/** Returns the folder of a file. Files directly in `src` stand for themselves. */
function folderOf(path: string): string {
  return path.includes("/") ? dirname(path) : path;
}

/** Finds folders that import each other, directly or indirectly. Reports each cycle once. */
function findFolderCycles(): string[] {
  const edges = new Map<string, Map<string, string>>();
  for (const path of files.keys()) {
    if (isTest(path)) continue;
    const from = edges.get(folderOf(path)) ?? new Map<string, string>();
    edges.set(folderOf(path), from);
    for (const target of importsOf(path)) {
      if (folderOf(target) !== folderOf(path)) from.set(folderOf(target), `${path} -> ${target}`);
    }
  }
  const done = new Set<string>();
  const findings: string[] = [];
  const visit = (folder: string, path: string[]): void => {
    const start = path.indexOf(folder);
    if (start !== -1) {
      const cycle = [...path.slice(start), folder];
      const imports = cycle.slice(1).map((to, at) => edges.get(cycle[at] ?? "")?.get(to));
      findings.push(`The folders import each other in a circle: ${imports.join(", ")}`);
    }
    if (start !== -1 || done.has(folder)) return;
    for (const next of edges.get(folder)?.keys() ?? []) visit(next, [...path, folder]);
    done.add(folder);
  };
  for (const folder of edges.keys()) visit(folder, []);
  return findings;
}

/** Finds folders with too many files. Outside of `src`, where tests have their own folders, tests count too. */
function findFullFolders(): string[] {
  const own = [...files.keys()].filter((path) => !isTest(path)).map((path) => `src/${path}`);
  const others = globSync(`{${otherRoots.join(",")}}/**/*.{ts,tsx,mjs,py}`, {
    cwd: repository,
    exclude: ["**/node_modules/**"],
  });
  return [...Map.groupBy([...own, ...others], dirname)]
    .filter(([, { length }]) => length > maxFiles)
    .map(
      ([folder, { length }]) => `${folder} has ${length} files; at most ${maxFiles}. Divide it.`,
    );
}

/** The parts that know of processes and of the machine they run on. Other parts ask the registry which process owns a run. */
const machineParts: readonly string[] = ["source", "registry", "tool"];

function findMachineAccess(): string[] {
  const access = /["'`]\/proc\/|\bprocess\.(?:pid|ppid|kill)\b|\bhostname\(|\breadProcess\(/;
  const findings: string[] = [];
  for (const [path, text] of files) {
    if (isTest(path) || machineParts.includes(partOf(path))) continue;
    const found = access.exec(text)?.[0];
    if (found === undefined) continue;
    const only = machineParts.map((part) => `src/${part}`).join(", ");
    findings.push(
      `src/${path} uses ${found}, but runs may be on other machines. Only ${only} may.`,
    );
  }
  return findings;
}

/** Names that vitest calls or that a test puts in the place of the real ones, so that several files must export them. */
const requiredNames: ReadonlySet<string> = new Set(["setup", "teardown", "agentFileFormats"]);

/** Finds names that two files export, because they are ambiguous to readers. */
function findSharedNames(): string[] {
  const homes = new Map<string, string[]>();
  const declaration =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
  const paths = globSync("{src,bench,page,scripts,test}/**/*.{ts,tsx}", {
    cwd: repository,
    exclude: ["**/node_modules/**"],
  });
  for (const path of paths) {
    if (isTest(path)) continue;
    const text = readFileSync(join(repository, path), "utf8");
    const names = new Set(Array.from(text.matchAll(declaration), ([, name = ""]) => name));
    for (const name of names) homes.set(name, [...(homes.get(name) ?? []), path]);
  }
  return [...homes]
    .filter(([name, declaring]) => declaring.length > 1 && !requiredNames.has(name))
    .map(
      ([name, declaring]) =>
        `\`${name}\` means several things: ${declaring.join(", ")}. Rename it.`,
    );
}

const findings = [
  ...findUpwardImports(),
  ...findPrivateImports(),
  ...findFolderCycles(),
  ...findFullFolders(),
  ...findUnexplainedRooms(readRooms()),
  ...findSharedNames(),
  ...findMachineAccess(),
];
for (const finding of findings) process.stderr.write(`${finding}\n`);
if (findings.length > 0) process.exitCode = 1;
