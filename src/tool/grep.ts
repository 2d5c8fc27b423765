import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { CadreError } from "../errors.ts";
import { createGlobMatcher } from "./glob-pattern.ts";
import { renderMatches, type GrepView } from "./grep-render.ts";
import type { Search } from "./grep-search.ts";
import { capOutput } from "./output-cap.ts";
import { confine, displayPath, pathSchema, resolvePath } from "./path-confinement.ts";
import { readPrompt } from "./prompt.ts";
import { searchByRegex } from "./regex-search.ts";
import { statusOf, trackedBytes } from "./regular-file.ts";
import { searchByRipgrep } from "./ripgrep.ts";
import { createSearchScope } from "./search-scope.ts";
import { defineTool, familyFolder, type Tool, type ToolContext } from "./tool.ts";
import { walkFiles } from "./walk-files.ts";

const defaultLines = 1000;
/** Files of one search; their names must fit into the arguments of one program. */
const batchFiles = 500;
/** Matching lines after which no further batch is searched. */
const enoughMatches = 100_000;

const lineCount = z.number().int().min(0).max(100);
const input = z.object({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .regex(/^[^\0]*$/)
    .describe("A regular expression"),
  path: pathSchema.default(".").describe("A folder or file; default the workspace"),
  glob: pathSchema.optional().describe('Which files, such as "*.ts"'),
  output_mode: z.enum(["content", "files_with_matches", "count"]).default("files_with_matches"),
  "-i": z.boolean().default(false).describe("Ignore case"),
  "-n": z.boolean().default(true).describe("Show line numbers (content)"),
  "-A": lineCount.optional().describe("Lines after each match (content)"),
  "-B": lineCount.optional().describe("Lines before each match (content)"),
  "-C": lineCount.optional().describe("Lines around each match (content)"),
  head_limit: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(`Lines of output; default ${defaultLines}`),
  multiline: z.boolean().default(false),
});
type GrepInput = z.output<typeof input>;

/** How the `Grep` tool searches: with ripgrep where there is one, unless told otherwise. */
export interface GrepOptions {
  readableFolders?: readonly string[];
  search?: Search;
}

/** Makes the `Grep` tool. */
export function createGrepTool(options: GrepOptions = {}): Tool {
  return defineTool({
    name: "Grep",
    description: readPrompt("grep"),
    access: "read",
    input,
    describe({ pattern, path }, { workspace }) {
      const place = resolvePath(path, workspace);
      const shown = displayPath(place, workspace);
      return {
        title: `Grep ${JSON.stringify(pattern.slice(0, 80))} in ${shown}`,
        subject: shown,
        paths: [place],
      };
    },
    async execute(call, context) {
      const { workspace } = context;
      const alsoReadable = [familyFolder(context), ...(options.readableFolders ?? [])];
      const place = confine(call.path, { workspace, alsoReadable });
      const target = await findTarget(place, call, context);
      const search = options.search ?? (hasRipgrep() ? searchByRipgrep : searchByRegex);
      const result = await searchAll(search, target, { call, context });
      return { text: await capOutput(result, context) };
    },
  });
}

interface Target {
  folder: string;
  files: readonly string[];
  notes: string[];
}

async function findTarget(place: string, call: GrepInput, context: ToolContext): Promise<Target> {
  const stats = await statusOf(place);
  if (stats === undefined)
    throw new CadreError("tool-failed", `${place} does not exist. Use Glob to find files.`);
  const walk = stats.isDirectory()
    ? await walkFiles(place, context.signal)
    : { paths: [basename(place)], isCut: false };
  const folder = stats.isDirectory() ? place : dirname(place);
  const matches = call.glob === undefined ? () => true : createFileMatcher(call.glob);
  const wanted = walk.paths.filter((path) => matches(path));
  const isOpen = stats.isDirectory() ? createScope(folder, context) : () => true;
  const chosen = wanted.filter((path) => isOpen(join(folder, path)));
  const closed = wanted.length - chosen.length;
  const { files, tooLarge } = await withoutLarge(folder, chosen);
  const notes = [
    ...(walk.isCut
      ? ["[The folder has too many files to search them all: give a deeper path.]"]
      : []),
    ...(closed > 0
      ? [
          `[${closed} files were not searched: permission rules name them, or they are hidden from tools.]`,
        ]
      : []),
    ...(tooLarge > 0 ? [`[${tooLarge} files over 20 MiB were not searched. Use Bash.]`] : []),
  ];
  return { folder, files, notes };
}

function createScope(
  folder: string,
  { caller, workspace }: ToolContext,
): (path: string) => boolean {
  return createSearchScope("Grep", { policies: caller.spec.policies, folder, workspace });
}

/** A pattern without a slash is for the name, as in .gitignore and ripgrep. */
function createFileMatcher(glob: string): (path: string) => boolean {
  const matches = createGlobMatcher(glob);
  return glob.includes("/") ? matches : (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}

async function withoutLarge(
  folder: string,
  paths: readonly string[],
): Promise<{ files: string[]; tooLarge: number }> {
  const files: string[] = [];
  let tooLarge = 0;
  for (let at = 0; at < paths.length; at += 64) {
    const some = paths.slice(at, at + 64);
    const all = await Promise.all(some.map((path) => statusOf(join(folder, path))));
    all.forEach((stats, index) => {
      if (stats === undefined || !stats.isFile()) return;
      if (stats.size > trackedBytes) tooLarge += 1;
      else files.push(some[index] ?? "");
    });
  }
  return { files, tooLarge };
}

async function searchAll(
  search: Search,
  target: Target,
  { call, context }: { call: GrepInput; context: ToolContext },
): Promise<string> {
  const found = new Map<string, readonly number[]>();
  const { pattern, multiline } = call;
  let matches = 0;
  let searched = 0;
  while (searched < target.files.length && matches < enoughMatches) {
    const files = target.files.slice(searched, searched + batchFiles);
    searched += files.length;
    const request = {
      folder: target.folder,
      files,
      pattern,
      multiline,
      ignoreCase: call["-i"],
      signal: context.signal,
    };
    for (const [file, lines] of await search(request)) {
      found.set(file, lines);
      matches += lines.length;
    }
    context.report(`Grep: ${searched} of ${target.files.length} files`);
  }
  const { lines, total } = await renderMatches(
    found,
    viewOf(call, target.folder, context.workspace),
  );
  if (lines.length === 0)
    return [`No match for ${pattern}.${lineHint(call)}`, ...target.notes].join("\n");
  const limit = call.head_limit ?? defaultLines;
  const rest = target.files.length - searched;
  const unit = call.output_mode === "content" ? "matching lines" : "files";
  return [
    ...lines,
    ...(lines.length >= limit && total > 0
      ? [`[Cut after ${limit} lines; ${total} ${unit} in all. Use head_limit, glob or path.]`]
      : []),
    ...(rest > 0 ? [`[Too many matches: ${rest} files were not searched.]`] : []),
    ...target.notes,
  ].join("\n");
}

function lineHint(call: GrepInput): string {
  return !call.multiline && call.pattern.includes(String.raw`\n`)
    ? " Set multiline to match over line ends."
    : "";
}

function viewOf(call: GrepInput, folder: string, workspace: string): GrepView {
  const around = call["-C"] ?? 0;
  return {
    mode: call.output_mode,
    before: call["-B"] ?? around,
    after: call["-A"] ?? around,
    hasNumbers: call["-n"],
    // 0 means no limit in ripgrep and elsewhere.
    limit: call.head_limit === undefined || call.head_limit === 0 ? defaultLines : call.head_limit,
    folder,
    workspace,
  };
}

let ripgrepIsThere: boolean | undefined;

function hasRipgrep(): boolean {
  ripgrepIsThere ??= (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => isProgram(join(folder, "rg")));
  return ripgrepIsThere;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not executable: either way it cannot be used.
    return false;
  }
}
