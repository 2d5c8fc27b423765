import type { Dirent } from "node:fs";
import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { formatSize } from "./file-size.ts";
import { confine, displayPath, pathSchema, resolvePath } from "./path-confinement.ts";
import { statusOf } from "./regular-file.ts";
import { defineTool, familyFolder, type Tool } from "./tool.ts";
import { readFolder } from "./walk-files.ts";

const shownEntries = 1000;

/** Makes the `LS` tool. `readableFolders` are readable besides the workspace and the outputs of the family. */
export function createLsTool(options: { readableFolders?: readonly string[] } = {}): Tool {
  return defineTool({
    name: "LS",
    description: `Lists a folder: names, sizes, folders with a slash, hidden and ignored ones too. Shows up to ${shownEntries} entries.`,
    access: "read",
    input: z.object({
      path: pathSchema.default(".").describe("The folder; default the workspace"),
    }),
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
  // A name may hold anything, also a line that looks like another entry.
  const name = /[\p{Cc}]/u.test(entry.name) ? JSON.stringify(entry.name) : entry.name;
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name} -> ${await readlink(path).catch(() => "?")}`;
  if (!entry.isFile()) return `${name} (special file)`;
  const stats = await statusOf(path);
  return stats === undefined ? name : `${name}  ${formatSize(stats.size)}`;
}
