import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { createGlobTest } from "../library/glob.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { pathKind } from "../location/resolve-aip.ts";
import { fileInfo } from "./file-info.ts";
import { filesBelow } from "./files-below.ts";
import { type HostCall, type HostContext, stringArgument } from "./host-call.ts";
import { readBytes } from "./read-bytes.ts";
import { readablePath, writablePath } from "./resolve-path.ts";
import { describeWrite } from "./describe-write.ts";
import { openZip, writeZip, type ZipArchive, type ZipFile } from "./zip-archive.ts";
import { errorMessage } from "../../error-message.ts";

/** The size limit of an archive's files together, in bytes. */
const maxBytes = 256 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** `aip.zip`. Each extracted file needs its own permission, because it may be protected. */
export const zipCalls: Readonly<Record<string, HostCall>> = {
  "zip.list": {
    isRecorded: true,
    run: async (args, context) => (await open(args, context)).entries as unknown as JsonValue,
  },
  "zip.read_text": { isRecorded: true, run: readText },
  "zip.extract": { isRecorded: true, act: describeWrite(2), run: extractFile },
  "zip.create": { isRecorded: true, act: describeWrite(1), run: create },
};

async function open(args: readonly LuaValue[], context: HostContext): Promise<ZipArchive> {
  const path = stringArgument(args, 0);
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
    return archive.read(stringArgument(args, 1));
  } catch (error) {
    throw explain(stringArgument(args, 0), error);
  }
}

function explain(path: string, error: unknown): Error {
  const reason = errorMessage(error);
  return new Error(`${path} cannot be read: ${reason}`, { cause: error });
}

async function readText(args: readonly LuaValue[], context: HostContext): Promise<string | null> {
  const content = await readEntry(args, context);
  try {
    return content === undefined ? null : decoder.decode(content);
  } catch (error) {
    throw new Error(`${stringArgument(args, 1)} in ${stringArgument(args, 0)} is not UTF-8 text`, {
      cause: error,
    });
  }
}

async function extractFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const content = await readEntry(args, context);
  if (content === undefined)
    throw new Error(`${stringArgument(args, 0)} has no ${stringArgument(args, 1)}`);
  const full = await writablePath(stringArgument(args, 2), context);
  if ((await pathKind(full)) === "folder")
    throw new Error(`${stringArgument(args, 2)} is a folder`);
  await context.port.write(full, content);
  return fileInfo(stringArgument(args, 2), await stat(full));
}

async function create(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const [source, target] = [stringArgument(args, 0), stringArgument(args, 1)];
  const globs = args[2] as string[];
  const folder = await readablePath(source, context);
  if ((await pathKind(folder)) !== "folder") throw new Error(`${source} is not a folder`);
  const full = await writablePath(target, context);
  const isWanted = globs.length === 0 ? () => true : createGlobTest(globs);
  const files: ZipFile[] = [];
  let size = 0;
  for (const path of await filesBelow(folder, context.signal)) {
    const name = relative(folder, path);
    if (path === full || !isWanted(name)) continue;
    // A readable folder may contain files that scripts must not read.
    const { bytes, status } = await readBytes(
      await readablePath(path, context),
      join(source, name),
    );
    size += bytes.length;
    if (size > maxBytes)
      throw new Error(`${source} has more than ${maxBytes} bytes; select fewer files by globs`);
    files.push({ name, content: bytes, modified: status.mtime });
  }
  await context.port.write(full, writeZip(files));
  return fileInfo(target, await stat(full));
}
