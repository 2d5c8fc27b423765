import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { createGlobMatcher } from "../search/glob-pattern.ts";
import { isInside } from "../../source/file/real-path.ts";
import { confine, displayPath, pathSchema, resolvePath } from "../path/path-confinement.ts";
import { statusOf } from "../path/regular-file.ts";
import { createTool, familyFolder, type Tool, type ToolContext } from "../tool.ts";
import { readFolder, walkFiles } from "../search/walk-files.ts";

const shownFiles = 200;

const input = z.object({
  pattern: pathSchema.describe("A glob pattern, relative to path"),
  path: pathSchema.default(".").describe("The folder to search; default the workspace"),
});

/** Creates the `Glob` tool. */
export function createGlobTool(): Tool {
  return createTool({
    name: "Glob",
    description: `Finds files by a pattern such as "src/**/*.ts", newest first, up to ${shownFiles}. Files that git ignores are left out. "*.ts" matches in one folder, "**/*.ts" in all folders below it.`,
    access: "read",
    input,
    describe({ pattern, path }, { workspace }) {
      const folder = resolvePath(path, workspace);
      return { title: `Glob ${pattern}`, subject: displayPath(folder, workspace), paths: [folder] };
    },
    async execute({ pattern, path }, context) {
      const { workspace } = context;
      const folder = confine(path, { workspace, alsoReadable: [familyFolder(context)] });
      await readFolder(folder, true);
      const matches = createGlobMatcher(relativePattern(pattern, folder));
      const walk = await walkFiles(folder, context.signal);
      const found = walk.paths.filter((file) => matches(file));
      const newest = await sortNewestFirst(folder, found);
      return { text: render({ pattern, folder, found: newest, isCut: walk.isCut }, context) };
    },
  });
}

/** Creates an absolute pattern relative to `folder`, because models also write absolute ones. */
function relativePattern(pattern: string, folder: string): string {
  if (!isAbsolute(pattern) || !isInside(pattern, folder)) return pattern;
  return pattern.slice(folder.length + 1);
}

async function sortNewestFirst(folder: string, files: readonly string[]): Promise<string[]> {
  const dated: { file: string; time: number }[] = [];
  for (let at = 0; at < files.length; at += 64) {
    const some = files.slice(at, at + 64).map(async (file) => {
      const stats = await statusOf(join(folder, file));
      return { file, time: stats?.mtimeMs ?? 0 };
    });
    dated.push(...(await Promise.all(some)));
  }
  dated.sort((left, right) => right.time - left.time || (left.file < right.file ? -1 : 1));
  return dated.map(({ file }) => file);
}

function render(
  result: { pattern: string; folder: string; found: readonly string[]; isCut: boolean },
  context: ToolContext,
): string {
  const { pattern, folder, found, isCut } = result;
  const notes = isCut
    ? ["[The folder has too many files to search all of them: give a deeper path.]"]
    : [];
  if (found.length === 0) {
    const hint = pattern.includes("/") ? "" : ` To search all folders below, use **/${pattern}.`;
    return [`No file matches ${pattern}.${hint}`, ...notes].join("\n");
  }
  const lines = found
    .slice(0, shownFiles)
    .map((file) => displayPath(join(folder, file), context.workspace));
  if (found.length > shownFiles)
    notes.push(`[The newest ${shownFiles} of ${found.length} files. Use a narrower pattern.]`);
  return [...lines, ...notes].join("\n");
}
