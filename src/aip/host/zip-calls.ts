import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { createGlobTest } from "../glob.ts";
import type { LuaValue } from "../lua-value.ts";
import { kindOf } from "../resolve-aip.ts";
import { fileInfo } from "./file-info.ts";
import { filesBelow } from "./files-below.ts";
import { type HostCall, type HostContext, text } from "./host-call.ts";
import { readBytes } from "./read-bytes.ts";
import { readablePath, writablePath } from "./resolve-path.ts";
import { openZip, writeZip, type ZipArchive, type ZipFile } from "./zip-archive.ts";

/** The most bytes that one archive is made of. */
const mostBytes = 256 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** `aip.zip`. Each file that is taken out of an archive is an act of its own, as it may be a file that must not be written. */
export const zipCalls: Readonly<Record<string, HostCall>> = {
  "zip.list": {
    isRecorded: true,
    run: async (args, context) => (await open(args, context)).entries as unknown as JsonValue,
  },
  "zip.read_text": { isRecorded: true, run: readText },
  "zip.extract": { isRecorded: true, act: writeTo(2), run: extractFile },
  "zip.create": { isRecorded: true, act: writeTo(1), run: create },
};

function writeTo(index: number): NonNullable<HostCall["act"]> {
  return async (args, context) => ({
    kind: "write",
    subject: await writablePath(text(args, index), context),
  });
}

async function open(args: readonly LuaValue[], context: HostContext): Promise<ZipArchive> {
  const path = text(args, 0);
  const { bytes } = await readBytes(await readablePath(path, context), path);
  try {
    return openZip(bytes);
  } catch (error) {
    throw explain(path, error);
  }
}

async function readEntry(
  args: readonly LuaValue[],
  context: HostContext,
): Promise<Buffer | undefined> {
  const archive = await open(args, context);
  try {
    return archive.read(text(args, 1));
  } catch (error) {
    throw explain(text(args, 0), error);
  }
}

function explain(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`${path} cannot be read: ${reason}`, { cause: error });
}

async function readText(args: readonly LuaValue[], context: HostContext): Promise<string | null> {
  const content = await readEntry(args, context);
  try {
    return content === undefined ? null : decoder.decode(content);
  } catch (error) {
    throw new Error(`${text(args, 1)} in ${text(args, 0)} is not UTF-8 text`, { cause: error });
  }
}

async function extractFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const content = await readEntry(args, context);
  if (content === undefined) throw new Error(`${text(args, 0)} has no ${text(args, 1)}`);
  const full = await writablePath(text(args, 2), context);
  if ((await kindOf(full)) === "folder") throw new Error(`${text(args, 2)} is a folder`);
  await context.port.write(full, content);
  return fileInfo(text(args, 2), await stat(full));
}

async function create(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const [source, target] = [text(args, 0), text(args, 1)];
  const globs = args[2] as string[];
  const folder = await readablePath(source, context);
  if ((await kindOf(folder)) !== "folder") throw new Error(`${source} is not a folder`);
  const full = await writablePath(target, context);
  const isWanted = globs.length === 0 ? () => true : createGlobTest(globs);
  const files: ZipFile[] = [];
  let size = 0;
  for (const path of await filesBelow(folder, context.signal)) {
    const name = relative(folder, path);
    if (path === full || !isWanted(name)) continue;
    // Below a folder that may be read there may be files that must not.
    const { bytes, status } = await readBytes(
      await readablePath(path, context),
      join(source, name),
    );
    size += bytes.length;
    if (size > mostBytes)
      throw new Error(`${source} has more than ${mostBytes} bytes; take fewer files by globs`);
    files.push({ name, content: bytes, modified: status.mtime });
  }
  await context.port.write(full, writeZip(files));
  return fileInfo(target, await stat(full));
}
