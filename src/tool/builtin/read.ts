import { z } from "zod";
import { confine, displayPath, pathSchema, resolvePath } from "../path/path-confinement.ts";
import { readToolPrompt } from "./prompt.ts";
import { imageType, readImage } from "./read-image.ts";
import { type ByteSource, readLines, type LineWindow, toByteSource } from "./read-lines.ts";
import { openRegular, trackedBytes } from "../path/regular-file.ts";
import type { FileHandle } from "node:fs/promises";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type ReadOpenText, readUnsaved } from "../unsaved/unsaved-text.ts";
import {
  createTool,
  familyFolder,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "../tool.ts";

const defaultLines = 2000;
/** The number of leading bytes that decide whether a file is text. */
const sniffedBytes = 8192;

/** Options of {@link createReadTool}. */
export interface ReadToolOptions {
  /** The folders that can be read besides the workspace and the family's outputs. */
  readableFolders?: readonly string[];
  /** Reads unsaved texts, which replace those on disk. */
  readOpen?: ReadOpenText;
}

const input = z.object({
  file_path: pathSchema.describe("The file, absolute or relative to the workspace"),
  offset: z.number().int().min(0).optional().describe("First line to return, from 1"),
  limit: z.number().int().min(1).optional().describe("How many lines to return"),
});

/** Creates the `Read` tool. */
export function createReadTool(options: ReadToolOptions = {}): Tool {
  return createTool({
    name: "Read",
    description: readToolPrompt("read"),
    access: "read",
    input,
    describe({ file_path }, { workspace }) {
      const path = resolvePath(file_path, workspace);
      const shown = displayPath(path, workspace);
      return { title: `Read ${shown}`, subject: shown, paths: [path] };
    },
    async execute({ file_path, offset, limit }, context) {
      const path = confine(file_path, {
        workspace: context.workspace,
        alsoReadable: [
          familyFolder(context),
          ...(options.readableFolders ?? []),
          ...(context.memory === undefined ? [] : [context.memory.folder]),
        ],
      });
      return await readFile(
        path,
        { offset: Math.max(offset ?? 1, 1), limit: limit ?? defaultLines },
        { ...context, ...omitUndefined({ readOpen: options.readOpen }) },
      );
    },
  });
}

async function readFile(
  path: string,
  range: { offset: number; limit: number },
  context: ToolContext & Pick<ReadToolOptions, "readOpen">,
): Promise<ToolOutcome> {
  const { handle, stats } = await openRegular(path);
  try {
    const start = Buffer.alloc(sniffedBytes);
    const { bytesRead } = await handle.read(start, 0, sniffedBytes, 0);
    const sniffed = start.subarray(0, bytesRead);
    const mediaType = imageType(sniffed);
    if (mediaType !== undefined)
      return await readImage(handle, { path, mediaType, size: stats.size });
    requireText(path, sniffed);
    const chosen = await chooseSource(path, { handle, size: stats.size }, context);
    const { source, size, note = "" } = chosen;
    const window = await readLines(source, { ...range, size, signal: context.signal });
    return {
      text: `${render(path, window, range)}${note}`,
      ...(window.hash !== null && {
        files: [{ path, hash: window.hash, change: "read" as const }],
      }),
    };
  } finally {
    await handle.close();
  }
}

/** Chooses the unsaved text of a file if there is one. */
async function chooseSource(
  path: string,
  { handle, size }: { handle: FileHandle; size: number },
  { readOpen, ...context }: ToolContext & Pick<ReadToolOptions, "readOpen">,
): Promise<{ source: ByteSource; size: number; note?: string }> {
  if (readOpen === undefined || size > trackedBytes) return { source: handle, size };
  const content = Buffer.alloc(size);
  const { bytesRead } = await handle.read(content, 0, size, 0);
  const file = { path, content: content.subarray(0, bytesRead) };
  const unsaved = await readUnsaved(readOpen, file, context);
  if (unsaved === undefined) return { source: handle, size };
  const bytes = Buffer.from(unsaved);
  return { source: toByteSource(bytes), size: bytes.length, note: unsavedNote };
}

const unsavedNote =
  "\n\n[This is the text in the editor, which is not saved. The file can be changed once the user has saved it.]";

function requireText(path: string, start: Buffer): void {
  if (!start.includes(0)) return;
  const mark = start.subarray(0, 2).toString("hex");
  const isUtf16 = mark === "fffe" || mark === "feff";
  const what = isUtf16
    ? "is UTF-16 text; convert it with iconv first"
    : "is a binary file and cannot be shown as text";
  throw new CadreError("tool-failed", `${path} ${what}. Use Bash to inspect it.`);
}

function render(
  path: string,
  window: LineWindow,
  range: { offset: number; limit: number },
): string {
  const { lines, total, isEmpty } = window;
  if (isEmpty) return `(${path} exists and is empty.)`;
  if (lines.length === 0) {
    throw new CadreError(
      "tool-failed",
      `${path} has ${total} lines; line ${range.offset} does not exist. Use an offset of at most ${total}.`,
    );
  }
  const last = range.offset + lines.length - 1;
  const numbered = lines.map(
    (line, index) => `${String(range.offset + index).padStart(6)}\t${line}`,
  );
  if (total !== null && last >= total) return numbered.join("\n");
  const count = total === null ? "of a large file" : `of ${total}`;
  return `${numbered.join("\n")}\n\n[Lines ${range.offset}-${last} ${count}. Continue with offset=${last + 1}.]`;
}
