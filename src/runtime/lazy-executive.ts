import type { LoadedConfig } from "../config/load-config.ts";
import { CadreError } from "../errors.ts";
import { formatDiagnostic } from "../source/diagnostic.ts";
import { checkWorkspace } from "./state/hidden-folders.ts";
import type { Executive, ExecutiveOptions } from "./executive.ts";

/** What executes runs, loaded when it is first needed: looking at runs and agents needs none of it. */
export interface LazyExecutive {
  get(): Promise<Executive>;
  /**
   * The same for what begins runs. After the registry failed it is made anew, so that runs can begin once the cause is gone.
   *
   * @throws CadreError `config-invalid` when a configuration file has an error, `invalid-argument` where no agent may work.
   */
  getToExecute(): Promise<Executive>;
  close(): Promise<void>;
}

/** The executive of one Cadre. */
export function createLazyExecutive(options: ExecutiveOptions): LazyExecutive {
  let executive: Promise<Executive> | undefined;
  let renewing: Promise<void> | undefined;
  const { store } = options;
  const get = (): Promise<Executive> => {
    // Throws when Cadre was closed.
    store.open();
    return (executive ??= import("./executive.ts").then(({ createExecutive }) =>
      createExecutive(options),
    ));
  };

  /** What belongs to a registry that failed has ended before the next one is used. */
  async function renew(): Promise<void> {
    await (await executive)?.close();
    executive = undefined;
    await store.reopen();
  }

  return {
    get: async () => await get(),
    async getToExecute() {
      checkConfiguration(options.configuration);
      checkWorkspace(options.place.cwd, options.hiddenFolders);
      if (store.hasFailed) await (renewing ??= renew().finally(() => (renewing = undefined)));
      return await get();
    },
    async close() {
      await (await executive)?.close();
    },
  };
}

/** A file that does not say what its author meant may allow more than its author wanted. */
function checkConfiguration({ diagnostics }: LoadedConfig): void {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  throw new CadreError("config-invalid", `The configuration has errors:${lines}`);
}
