import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isProcessAlive, ownIdentity, type ProcessIdentity } from "../../host.ts";
import { readVersion } from "../../version.ts";

/** Which process is the supervisor of a state folder. */
interface SupervisorRecord extends ProcessIdentity {
  /** Different for each start. */
  id: string;
}

/** The time in which another supervisor that starts at the same moment has written its record, in milliseconds. */
const settleMs = 100;

/** Supervisors of different versions of Cadre do not know of each other: each executes what it can. */
function pathOf(stateFolder: string): string {
  return join(stateFolder, `supervisor-${readVersion()}.json`);
}

/** Returns the supervisor that is alive, or `undefined`. */
export async function findRunningSupervisor(
  stateFolder: string,
): Promise<SupervisorRecord | undefined> {
  const text = await readFile(pathOf(stateFolder), "utf8").catch(() => "");
  if (text === "") return undefined;
  try {
    const record = JSON.parse(text) as SupervisorRecord;
    return isProcessAlive(record) ? record : undefined;
  } catch {
    // Cut off by a full disk: another supervisor may start. No two processes ever execute the same family.
    return undefined;
  }
}

/** Makes this process the supervisor. Returns how to leave, or `undefined` when another one is alive. */
export async function becomeSupervisor(
  stateFolder: string,
): Promise<(() => Promise<void>) | undefined> {
  if ((await findRunningSupervisor(stateFolder)) !== undefined) return undefined;
  const path = pathOf(stateFolder);
  const record: SupervisorRecord = { ...ownIdentity(), id: randomUUID() };
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${record.id}.tmp`;
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  await rename(draft, path);
  // Of several that start at the same moment, the last writer stays.
  await setTimeout(settleMs);
  if ((await findRunningSupervisor(stateFolder))?.id !== record.id) return undefined;
  return async () => {
    if ((await findRunningSupervisor(stateFolder))?.id === record.id)
      await rm(path, { force: true });
  };
}
