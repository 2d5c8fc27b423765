import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cadre } from "../../host.ts";

/** New sessions without a turn, which another process can load. */
export interface UnusedSessions {
  add(id: string): Promise<void>;
  has(id: string): Promise<boolean>;
  /** Forgets a session that has a turn or was deleted. */
  remove(id: string): Promise<void>;
}

/** How long an unused session is kept, in milliseconds: a week. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Returns the unused sessions of a Cadre's project. Its state folder has an empty file for each. */
export function unusedOf({ stateFolder }: Pick<Cadre, "stateFolder">): UnusedSessions {
  const folder = join(stateFolder, "acp-sessions");
  const pathOf = (id: string): string => join(folder, id);
  const ageOf = async (path: string): Promise<number> => {
    const found = await stat(path).catch(() => undefined);
    return found === undefined ? Infinity : Date.now() - found.mtimeMs;
  };
  return {
    async add(id) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(pathOf(id), "", { mode: 0o600 });
      for (const name of await readdir(folder)) {
        if ((await ageOf(pathOf(name))) > keptMs) await rm(pathOf(name), { force: true });
      }
    },
    has: async (id) => isPlainName(id) && (await ageOf(pathOf(id))) <= keptMs,
    async remove(id) {
      if (isPlainName(id)) await rm(pathOf(id), { force: true });
    },
  };
}

/** Reports whether the id is safe as a file name. Editors may send any text as an id. */
function isPlainName(id: string): boolean {
  return /^[0-9a-z]+-[0-9a-z]+$/.test(id);
}
