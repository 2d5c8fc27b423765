import type { DispatchSetting } from "../engine/engine.ts";
import type { RegistrySource } from "../registry/registry-source.ts";
import type { Cadre, CadreOptions } from "../runtime/cadre.ts";
import { createCadre } from "../runtime/create/create-cadre.ts";

/** The Cadre instances of a worker: one for each setting of the families that it executes. */
export interface CadrePool {
  /** Calls `work` with the Cadre of a setting. */
  use<Value>(setting: DispatchSetting, work: (cadre: Cadre) => Promise<Value>): Promise<Value>;
  /** Calls `work` with a separate Cadre that has another registry and another folder for long outputs. */
  useAlone<Value>(
    setting: DispatchSetting,
    own: { registry: RegistrySource; stateDir: string },
    work: (cadre: Cadre) => Promise<Value>,
  ): Promise<Value>;
  /** Closes all instances. Their runs stay unfinished, and other workers continue them. */
  leave(): Promise<void>;
}

/** How long a Cadre stays open after its last family, in milliseconds. The next family often has the same folder. */
const idleMs = 5000;

interface Opened {
  cadre: Promise<Cadre>;
  users: number;
  timer?: NodeJS.Timeout | undefined;
}

/** Creates an empty pool. `options` apply to each of its Cadres. */
export function createCadrePool(options: CadreOptions): CadrePool {
  const opened = new Map<string, Opened>();
  let alone = 0;

  function open(key: string, setting: DispatchSetting, own: CadreOptions = {}): Opened {
    const known = opened.get(key);
    if (known !== undefined) return known;
    const cadre = createCadre({
      ...options,
      ...setting,
      ...own,
      engine: "local",
      onApproval: "wait",
    });
    const added: Opened = { cadre, users: 0 };
    opened.set(key, added);
    return added;
  }

  function close(key: string, { cadre }: Opened): void {
    opened.delete(key);
    // A Cadre that could not be created has nothing to close; one that fails to close has lost its registry.
    cadre.then((one) => one.close({ leaveRuns: true })).catch(() => undefined);
  }

  return {
    async use(setting, work) {
      const key = JSON.stringify(setting);
      const entry = open(key, setting);
      clearTimeout(entry.timer);
      entry.users += 1;
      try {
        return await work(await entry.cadre);
      } finally {
        entry.users -= 1;
        if (entry.users === 0 && opened.get(key) === entry) {
          entry.timer = setTimeout(() => close(key, entry), idleMs).unref();
        }
      }
    },
    async useAlone(setting, { registry, stateDir }, work) {
      alone += 1;
      const key = `alone/${alone}`;
      const entry = open(key, setting, { registry, config: { ...options.config, stateDir } });
      try {
        return await work(await entry.cadre);
      } finally {
        if (opened.delete(key)) {
          await entry.cadre.then((one) => one.close({ leaveRuns: true })).catch(() => undefined);
        }
      }
    },
    async leave() {
      const all = [...opened.values()];
      opened.clear();
      await Promise.allSettled(
        all.map(async ({ cadre, timer }) => {
          clearTimeout(timer);
          await (await cadre).close({ leaveRuns: true });
        }),
      );
    },
  };
}
