import type { Dirent } from "node:fs";
import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { formatSize } from "../path/file-size.ts";
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

const shownEntries = 1000;

const input = z.object({
  path: pathSchema.default(".").describe("The folder; default the workspace"),
});

/** Creates the `LS` tool. Besides the workspace and the family's outputs, it can read `readableFolders`. */
export function createLsTool(options: { readableFolders?: readonly string[] } = {}): Tool {
  return createTool({
    name: "LS",
    description: `Lists a folder: names and sizes; folders end in a slash; hidden and ignored files are included. Shows up to ${shownEntries} entries.`,
    access: "read",
    input,
    describe({ path }, { workspace }) {
      const folder = resolvePath(path, workspace);
      const shown = displayPath(folder, workspace);
      return { title: `LS ${shown}`, subject: shown, paths: [folder] };
    },
    async execute({ path }, context) {
      const folder = confine(path, {
        workspace: context.workspace,
        alsoReadable: [familyFolder(context), ...(options.readableFolders ?? [])],
      });
      const entries = await readFolder(folder, true);
      const lines = await Promise.all(
        entries.slice(0, shownEntries).map((entry) => describeEntry(folder, entry)),
      );
      const rest = entries.length - lines.length;
      const more =
        rest > 0
          ? [`[${rest} of ${entries.length} entries not shown. Use Glob to narrow it down.]`]
          : [];
      return {
        text: [`${folder}:`, ...lines, ...more, ...(entries.length === 0 ? ["(empty)"] : [])].join(
          "\n",
        ),
      };
    },
  });
}

async function describeEntry(folder: string, entry: Dirent): Promise<string> {
  const path = join(folder, entry.name);
  const name = displayName(entry.name);
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name} -> ${await readlink(path).catch(() => "?")}`;
  if (!entry.isFile()) return `${name} (special file)`;
  const stats = await statusOf(path);
  return stats === undefined ? name : `${name}  ${formatSize(stats.size)}`;
}
