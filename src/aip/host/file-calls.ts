import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { constants } from "node:fs";
import { dirname } from "node:path";
import type { JsonObject } from "../../source/json.ts";
import { type Algorithm, algorithms } from "../library/hash/hash.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { pathKind } from "../location/resolve-aip.ts";
import { describeWrite } from "./describe-write.ts";
import { deletePath } from "./delete-path.ts";
import { fileInfo } from "./file-info.ts";
import { type HostCall, type HostContext, maybeText, stringArgument } from "./host-call.ts";
import { readBytes, reasonOf } from "./read-bytes.ts";
import {
  ifInstalled,
  movablePath,
  readablePath,
  resolveScriptPath,
  writablePath,
} from "./resolve-path.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The calls that read and write single files. */
export const fileCalls: Readonly<Record<string, HostCall>> = {
  "path.resolve": {
    isRecorded: false,
    run: (args, context) => resolveScriptPath(stringArgument(args, 0), context),
  },
  "path.kind": {
    isRecorded: true,
    run: async (args, context) => {
      const full = await ifInstalled(readablePath(stringArgument(args, 0), context));
      return full === undefined ? null : pathKind(full);
    },
  },
  "file.load": { isRecorded: true, run: loadFile },
  "file.info": {
    isRecorded: true,
    run: async (args, context) => {
      const path = stringArgument(args, 0);
      if (path.trim() === "") return null;
      const full = await ifInstalled(readablePath(path, context));
      if (full === undefined || (await pathKind(full)) !== "file") return null;
      return fileInfo(path, await stat(full));
    },
  },
  "file.hash": {
    isRecorded: true,
    run: async (args, context) => {
      const path = stringArgument(args, 0);
      const { bytes } = await readBytes(await readablePath(path, context), path);
      return algorithms[stringArgument(args, 1) as Algorithm](bytes).toString("hex");
    },
  },
  "file.write": { isRecorded: true, act: describeWrite(0), run: writeFile },
  "file.ensure_dir": { isRecorded: true, act: describeWrite(0), run: ensureFolder },
  "file.delete": deletePath,
  "file.copy": { isRecorded: true, act: describeWrite(1), run: copyFile },
  "file.move": {
    isRecorded: true,
    act: async (args, context) => ({
      kind: "write",
      subject: await writablePath(stringArgument(args, 1), context),
      others: [await writablePath(stringArgument(args, 0), context)],
    }),
    run: moveFile,
  },
};

async function loadFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const path = stringArgument(args, 0);
  const full = await readablePath(path, context, maybeText(args, 1));
  const { bytes, status } = await readBytes(full, path);
  try {
    const content = decoder.decode(bytes);
    return { ...fileInfo(path, status), _type: "FileRecord", content };
  } catch (error) {
    throw new Error(`${path} is not UTF-8 text`, { cause: error });
  }
}

/**
 * Writes a text. `mode` is `append`, `create` (only when the file does not exist) or `replace`. Given the hash of the content
 * that the new text is based on (`null`: no file), returns `false` instead of replacing other content.
 */
async function writeFile(
  args: readonly LuaValue[],
  context: HostContext,
): Promise<JsonObject | false> {
  const [path, content, mode, base] = [
    stringArgument(args, 0),
    stringArgument(args, 1),
    stringArgument(args, 2),
    args[3],
  ];
  const full = await writablePath(path, context);
  const kind = await pathKind(full);
  if (kind === "folder") throw new Error(`${path} is a folder`);
  if (base !== undefined && base !== (await hashOf(full))) return false;
  if (mode === "append" && kind === "file") await append(full, path, content);
  else if (mode !== "create" || kind === null) await context.port.write(full, content);
  return fileInfo(path, await stat(full));
}

async function hashOf(full: string): Promise<string | null> {
  const content = await readFile(full).catch(() => null);
  return content === null ? null : algorithms.sha256(content).toString("hex");
}

async function ensureFolder(args: readonly LuaValue[], context: HostContext): Promise<boolean> {
  const path = stringArgument(args, 0);
  const full = await writablePath(path, context);
  const kind = await pathKind(full);
  if (kind === "file") throw new Error(`${path} is a file`);
  if (kind === "folder") return false;
  await mkdir(full, { recursive: true });
  return true;
}

async function append(full: string, path: string, content: string): Promise<void> {
  const { O_WRONLY, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(full, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${path} is not a file`);
    await handle.appendFile(content);
  } finally {
    await handle.close();
  }
}

async function requireFree(path: string, full: string, args: readonly LuaValue[]): Promise<void> {
  if (args[2] !== true && (await pathKind(full)) !== null)
    throw new Error(`${path} exists; pass overwrite = true to replace it`);
}

async function copyFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const [source, target] = [stringArgument(args, 0), stringArgument(args, 1)];
  const full = await writablePath(target, context);
  const { bytes } = await readBytes(await readablePath(source, context), source);
  await requireFree(target, full, args);
  await context.port.write(full, bytes);
  return fileInfo(target, await stat(full));
}

async function moveFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const [source, target] = [stringArgument(args, 0), stringArgument(args, 1)];
  const from = await movablePath(source, context);
  const to = await writablePath(target, context);
  if ((await pathKind(from)) !== "file") throw new Error(`${source} is not a file`);
  await requireFree(target, to, args);
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to).catch((error: unknown) => {
    throw new Error(`${source} cannot be moved: ${reasonOf(error)}`, { cause: error });
  });
  return fileInfo(target, await stat(to));
}
