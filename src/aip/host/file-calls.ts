import { lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { constants } from "node:fs";
import { dirname } from "node:path";
import type { JsonObject } from "../../source/json.ts";
import type { AipAct } from "../aip-port.ts";
import { type Algorithm, algorithms } from "../library/hash.ts";
import type { LuaValue } from "../lua-value.ts";
import { isInside } from "../../source/real-path.ts";
import { kindOf } from "../resolve-aip.ts";
import { fileInfo } from "./file-info.ts";
import { type HostCall, type HostContext, maybeText, text } from "./host-call.ts";
import { readBytes, reasonOf } from "./read-bytes.ts";
import { readablePath, resolvePath, writablePath } from "./resolve-path.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reading and writing single files. */
export const fileCalls: Readonly<Record<string, HostCall>> = {
  "path.resolve": {
    isRecorded: false,
    run: (args, context) => resolvePath(text(args, 0), context),
  },
  "path.kind": {
    isRecorded: true,
    run: async (args, context) => kindOf(await readablePath(text(args, 0), context)),
  },
  "file.load": { isRecorded: true, run: loadFile },
  "file.info": {
    isRecorded: true,
    run: async (args, context) => {
      const path = text(args, 0);
      if (path.trim() === "") return null;
      const full = await readablePath(path, context);
      return (await kindOf(full)) === "file" ? fileInfo(path, await stat(full)) : null;
    },
  },
  "file.hash": {
    isRecorded: true,
    run: async (args, context) => {
      const path = text(args, 0);
      const { bytes } = await readBytes(await readablePath(path, context), path);
      return algorithms[text(args, 1) as Algorithm](bytes).toString("hex");
    },
  },
  "file.write": { isRecorded: true, act: actOn(0, "write"), run: writeFile },
  "file.ensure_dir": { isRecorded: true, act: actOn(0, "write"), run: ensureFolder },
  "file.delete": { isRecorded: true, act: actOn(0, "delete"), run: deleteFile },
  "file.copy": { isRecorded: true, act: actOn(1, "write"), run: copyFile },
  "file.move": {
    isRecorded: true,
    act: async (args, context) => ({
      kind: "write",
      subject: await writablePath(text(args, 1), context),
      source: await writablePath(text(args, 0), context),
    }),
    run: moveFile,
  },
};

function actOn(index: number, kind: "write" | "delete"): NonNullable<HostCall["act"]> {
  return async (args, context): Promise<AipAct> => ({
    kind,
    subject: await writablePath(text(args, index), context),
  });
}

async function loadFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const path = text(args, 0);
  const full = await readablePath(path, context, maybeText(args, 1));
  const { bytes, status } = await readBytes(full, path);
  try {
    const content = decoder.decode(bytes);
    return { ...fileInfo(path, status), _type: "FileRecord", content };
  } catch (error) {
    throw new Error(`${path} is not UTF-8 text`, { cause: error });
  }
}

async function writeFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const path = text(args, 0);
  const content = text(args, 1);
  const mode = text(args, 2);
  const full = await writablePath(path, context);
  const kind = await kindOf(full);
  if (kind === "folder") throw new Error(`${path} is a folder`);
  if (mode === "append" && kind === "file") await append(full, path, content);
  else if (mode !== "create" || kind === null) await context.port.write(full, content);
  return fileInfo(path, await stat(full));
}

async function ensureFolder(args: readonly LuaValue[], context: HostContext): Promise<boolean> {
  const path = text(args, 0);
  const full = await writablePath(path, context);
  const kind = await kindOf(full);
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

async function deleteFile(args: readonly LuaValue[], context: HostContext): Promise<boolean> {
  const path = text(args, 0);
  const full = await ownPath(path, context);
  const status = await lstat(full).catch(() => undefined);
  if (status === undefined) return false;
  if (status.isDirectory()) throw new Error(`${path} is a folder; only files are deleted`);
  await unlink(full);
  return true;
}

/** What packs keep for all workspaces is written to, but never taken away. */
async function ownPath(path: string, context: HostContext): Promise<string> {
  const full = await writablePath(path, context);
  if (isInside(full, context.place.workspace)) return full;
  throw new Error(`${path} is outside the workspace; only files in it are deleted or moved`);
}

async function requireFree(path: string, full: string, args: readonly LuaValue[]): Promise<void> {
  if (args[2] !== true && (await kindOf(full)) !== null)
    throw new Error(`${path} exists; say overwrite = true to replace it`);
}

async function copyFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const [source, target] = [text(args, 0), text(args, 1)];
  const full = await writablePath(target, context);
  const { bytes } = await readBytes(await readablePath(source, context), source);
  await requireFree(target, full, args);
  await context.port.write(full, bytes);
  return fileInfo(target, await stat(full));
}

async function moveFile(args: readonly LuaValue[], context: HostContext): Promise<JsonObject> {
  const [source, target] = [text(args, 0), text(args, 1)];
  const from = await ownPath(source, context);
  const to = await writablePath(target, context);
  if ((await kindOf(from)) !== "file") throw new Error(`${source} is not a file`);
  await requireFree(target, to, args);
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to).catch((error: unknown) => {
    throw new Error(`${source} cannot be moved: ${reasonOf(error)}`, { cause: error });
  });
  return fileInfo(target, await stat(to));
}
