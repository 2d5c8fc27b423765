import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { createGlobMatcher } from "../search/glob-pattern.ts";
import { renderMatches, type GrepView } from "../search/grep-render.ts";
import type { Search } from "../search/grep-search.ts";
import { capOutput } from "../output/output-cap.ts";
import { confine, displayPath, pathSchema, resolvePath } from "../path/path-confinement.ts";
import { readToolPrompt } from "./prompt.ts";
import { searchByRegex } from "../search/regex-search.ts";
import { statusOf, trackedBytes } from "../path/regular-file.ts";
import { searchByRipgrep } from "../search/ripgrep.ts";
import { createSearchScope } from "../search/search-scope.ts";
import { createTool, familyFolder, type Tool, type ToolContext } from "../tool.ts";
import { walkFiles } from "../search/walk-files.ts";

const defaultLines = 1000;
/** Files of one search. Their names must fit into the arguments of one program. */
const batchFiles = 500;
/** The number of matching lines after which no further batch is searched. */
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
  glob: pathSchema.optional().describe('Only files that match, such as "*.ts"'),
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

/** Options of {@link createGrepTool}. `search` defaults to ripgrep where installed, else to the regex engine. */
export interface GrepOptions {
  readableFolders?: readonly string[];
  search?: Search;
}

/** Creates the `Grep` tool. */
export function createGrepTool(options: GrepOptions = {}): Tool {
  return createTool({
    name: "Grep",
    description: readToolPrompt("grep"),
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
      ? ["[The folder has too many files to search all of them: give a deeper path.]"]
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

/** Creates a matcher for a glob. A pattern without a slash matches the file name, as in .gitignore and ripgrep. */
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
      ? [`[Cut after ${limit} lines; ${total} ${unit} in total. Use head_limit, glob or path.]`]
      : []),
    ...(rest > 0 ? [`[Too many matches: ${rest} files were not searched.]`] : []),
    ...target.notes,
  ].join("\n");
}

function lineHint(call: GrepInput): string {
  return !call.multiline && call.pattern.includes(String.raw`\n`)
    ? " Set multiline to match across line breaks."
    : "";
}

function viewOf(call: GrepInput, folder: string, workspace: string): GrepView {
  const around = call["-C"] ?? 0;
  return {
    mode: call.output_mode,
    before: call["-B"] ?? around,
    after: call["-A"] ?? around,
    hasNumbers: call["-n"],
    // 0 means no limit, as in ripgrep and other agents.
    limit: call.head_limit === undefined || call.head_limit === 0 ? defaultLines : call.head_limit,
    folder,
    workspace,
  };
}

let isRipgrepInstalled: boolean | undefined;

function hasRipgrep(): boolean {
  isRipgrepInstalled ??= (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => isExecutable(join(folder, "rg")));
  return isRipgrepInstalled;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing or not executable: in both cases unusable.
    return false;
  }
}
