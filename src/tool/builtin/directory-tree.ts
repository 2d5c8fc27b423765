import { join } from "node:path";
import { z } from "zod";
import { formatSize } from "../path/file-size.ts";
import { isIgnored, rulesAround, rulesWithin, type IgnoreRules } from "../search/ignore-rules.ts";
import {
  confine,
  displayName,
  displayPath,
  pathSchema,
  resolvePath,
} from "../path/path-confinement.ts";
import { statusOf } from "../path/regular-file.ts";
import { createTool, familyFolder, type Tool } from "../tool.ts";
import { readFolder } from "../search/walk-files.ts";

const defaultDepth = 3;
const maximumDepth = 10;
const shownEntries = 500;
const shownPerFolder = 100;

const input = z.object({
  path: pathSchema.default(".").describe("The folder; default the workspace"),
  depth: z.number().int().min(1).max(maximumDepth).default(defaultDepth),
});

/** Creates the `DirectoryTree` tool. */
export function createDirectoryTreeTool(): Tool {
  return createTool({
    name: "DirectoryTree",
    description: `Shows a folder as a tree with file sizes, without files that git ignores. Default depth ${defaultDepth}; at most ${shownEntries} entries, ${shownPerFolder} per folder.`,
    access: "read",
    input,
    describe({ path }, { workspace }) {
      const folder = resolvePath(path, workspace);
      const shown = displayPath(folder, workspace);
      return { title: `DirectoryTree ${shown}`, subject: shown, paths: [folder] };
    },
    async execute({ path, depth }, context) {
      const { workspace } = context;
      const folder = confine(path, { workspace, alsoReadable: [familyFolder(context)] });
      await readFolder(folder, true);
      const tree: Tree = { lines: [`${folder}/`], left: shownEntries, signal: context.signal };
      await addFolder(tree, {
        path: folder,
        indent: "  ",
        depth,
        rules: await rulesAround(folder),
      });
      if (tree.left === 0)
        tree.lines.push(
          `[Cut after ${shownEntries} entries. Use a deeper path or a smaller depth.]`,
        );
      return { text: tree.lines.join("\n") };
    },
  });
}

interface Tree {
  lines: string[];
  left: number;
  signal: AbortSignal;
}

interface Branch {
  path: string;
  indent: string;
  depth: number;
  rules: IgnoreRules;
}

async function addFolder(tree: Tree, branch: Branch): Promise<void> {
  tree.signal.throwIfAborted();
  const { path, indent, depth, rules } = branch;
  const all = await readFolder(path);
  const entries = all.filter(
    (entry) => !isIgnored(join(path, entry.name), entry.isDirectory(), rules),
  );
  for (const entry of entries.slice(0, shownPerFolder)) {
    if (tree.left === 0) return;
    tree.left -= 1;
    const inner = join(path, entry.name);
    const name = displayName(entry.name);
    const size = entry.isFile() ? `  ${formatSize((await statusOf(inner))?.size ?? 0)}` : "";
    tree.lines.push(
      `${indent}${name}${entry.isDirectory() ? "/" : size}${entry.isSymbolicLink() ? " (symlink)" : ""}`,
    );
    if (!entry.isDirectory() || depth === 1) continue;
    await addFolder(tree, {
      path: inner,
      indent: `${indent}  `,
      depth: depth - 1,
      rules: await rulesWithin(inner, rules),
    });
  }
  const rest = entries.length - shownPerFolder;
  if (rest > 0 && tree.left > 0) tree.lines.push(`${indent}[and ${rest} more]`);
}
