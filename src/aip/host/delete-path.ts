import { lstat, mkdir, mkdtemp, rename, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import type { AipAct } from "../location/aip-port.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { pathKind } from "../location/resolve-aip.ts";
import { filesBelow } from "./files-below.ts";
import { type HostCall, type HostContext, stringArgument } from "./host-call.ts";
import { reasonOf } from "./read-bytes.ts";
import { movablePath } from "./resolve-path.ts";

/**
 * `file.delete`: removes a file, or moves a folder to the temporary files of the run, so that its contents are not lost. Returns
 * `false` when the path does not exist.
 */
export const deletePath: HostCall = { isRecorded: true, act: describeDelete, run: remove };

/** Requests permission for each file of a folder, because some may be protected. */
async function describeDelete(args: readonly LuaValue[], context: HostContext): Promise<AipAct> {
  const subject = await movablePath(stringArgument(args, 0), context);
  if ((await pathKind(subject)) !== "folder") return { kind: "delete", subject };
  return { kind: "delete", subject, others: await filesBelow(subject, context.signal) };
}

async function remove(args: readonly LuaValue[], context: HostContext): Promise<boolean> {
  const path = stringArgument(args, 0);
  const full = await movablePath(path, context);
  const status = await lstat(full).catch(() => undefined);
  if (status === undefined) return false;
  if (status.isDirectory()) await moveAway(path, full, context);
  else await unlink(full);
  return true;
}

async function moveAway(path: string, full: string, { location }: HostContext): Promise<void> {
  const { temporary } = location;
  if (isInside(temporary, full))
    throw new Error(`${path} cannot be deleted: it contains the temporary files of this run`);
  await mkdir(temporary, { recursive: true });
  const target = await mkdtemp(join(temporary, "deleted-"));
  await rename(full, join(target, basename(full))).catch((error: unknown) => {
    throw new Error(`${path} cannot be deleted: ${reasonOf(error)}`, { cause: error });
  });
}
