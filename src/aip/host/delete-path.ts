import { lstat, mkdir, mkdtemp, rename, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { isInside } from "../../source/real-path.ts";
import type { AipAct } from "../aip-port.ts";
import type { LuaValue } from "../lua-value.ts";
import { kindOf } from "../resolve-aip.ts";
import { filesBelow } from "./files-below.ts";
import { type HostCall, type HostContext, text } from "./host-call.ts";
import { reasonOf } from "./read-bytes.ts";
import { movablePath } from "./resolve-path.ts";

/**
 * `file.delete`: a file is removed; a folder is moved to the temporary files of the run, so that nothing in it is lost. Gives
 * `false` when there is nothing at the path.
 */
export const deletePath: HostCall = { isRecorded: true, act: describeDelete, run: remove };

/** A folder may hold files that must not be deleted, so permission is asked for each of them too. */
async function describeDelete(args: readonly LuaValue[], context: HostContext): Promise<AipAct> {
  const subject = await movablePath(text(args, 0), context);
  if ((await kindOf(subject)) !== "folder") return { kind: "delete", subject };
  return { kind: "delete", subject, others: await filesBelow(subject, context.signal) };
}

async function remove(args: readonly LuaValue[], context: HostContext): Promise<boolean> {
  const path = text(args, 0);
  const full = await movablePath(path, context);
  const status = await lstat(full).catch(() => undefined);
  if (status === undefined) return false;
  if (status.isDirectory()) await moveAway(path, full, context);
  else await unlink(full);
  return true;
}

async function moveAway(path: string, full: string, { place }: HostContext): Promise<void> {
  const { temporary } = place;
  if (isInside(temporary, full))
    throw new Error(`${path} cannot be deleted: the temporary files of this run lie in it`);
  await mkdir(temporary, { recursive: true });
  const target = await mkdtemp(join(temporary, "deleted-"));
  await rename(full, join(target, basename(full))).catch((error: unknown) => {
    throw new Error(`${path} cannot be deleted: ${reasonOf(error)}`, { cause: error });
  });
}
