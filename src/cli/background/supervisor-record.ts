import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isProcessAlive, ownIdentity, type ProcessIdentity } from "../../host.ts";
import { readVersion } from "../../version.ts";

/** The process that is the supervisor of a state folder. */
interface SupervisorRecord extends ProcessIdentity {
  /** Different for each start. */
  id: string;
}

/** How long a supervisor that starts at the same moment may take to write its record, in milliseconds. */
const settleMs = 100;

/** Supervisors of different versions of Cadre ignore each other: each executes what it can. */
function pathOf(stateFolder: string): string {
  return join(stateFolder, `supervisor-${readVersion()}.json`);
}

/** Returns the live supervisor, or `undefined`. */
export async function findRunningSupervisor(
  stateFolder: string,
): Promise<SupervisorRecord | undefined> {
  const text = await readFile(pathOf(stateFolder), "utf8").catch(() => "");
  if (text === "") return undefined;
  try {
    const record = JSON.parse(text) as SupervisorRecord;
    return isProcessAlive(record) ? record : undefined;
  } catch {
    // A full disk truncated the record: another supervisor may start. Two processes never execute the same family.
    return undefined;
  }
}

/** Makes this process the supervisor. Returns a function that gives up the role, or `undefined` when another supervisor is alive. */
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
  // Of several supervisors that start at the same moment, the last writer wins.
  await setTimeout(settleMs);
  if ((await findRunningSupervisor(stateFolder))?.id !== record.id) return undefined;
  return async () => {
    if ((await findRunningSupervisor(stateFolder))?.id === record.id)
      await rm(path, { force: true });
  };
}
