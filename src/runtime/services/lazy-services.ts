import type { LoadedConfig } from "../../config/load-config.ts";
import { CadreError } from "../../errors.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import { refuseStateFolder } from "../state/hidden-folders.ts";
import type { ServicesOptions } from "./service-parts.ts";
import type { Services } from "./services.ts";

/** The services that execute runs, loaded on first use. Reading runs and agents does not need them. */
export interface LazyServices {
  get(): Promise<Services>;
  /**
   * Returns the services for starting runs. After the registry failed they are created again, so that runs can start once the
   * cause is resolved.
   *
   * @throws CadreError `config-invalid` when a configuration file has an error, `invalid-argument` where no agent may work.
   */
  getToExecute(): Promise<Services>;
  close(): Promise<void>;
}

/** Creates the services of one Cadre. */
export function createLazyServices(options: ServicesOptions): LazyServices {
  let services: Promise<Services> | undefined;
  let renewing: Promise<void> | undefined;
  const { store } = options;
  const get = (): Promise<Services> => {
    // Throws when Cadre is closed.
    store.open();
    return (services ??= import("./services.ts").then(({ createServices }) =>
      createServices(options),
    ));
  };

  /** The services of a failed registry end before the next one is used. */
  async function renew(): Promise<void> {
    await (await services)?.close();
    services = undefined;
    await store.reopen();
  }

  return {
    get: async () => await get(),
    async getToExecute() {
      checkConfiguration(options.configuration);
      refuseStateFolder(options.project.cwd, options.hiddenFolders);
      if (store.hasFailed) await (renewing ??= renew().finally(() => (renewing = undefined)));
      return await get();
    },
    async close() {
      // Services that could not be created have nothing to close.
      await (await services?.catch(() => undefined))?.close();
    },
  };
}

/** Refuses to start runs with a broken configuration file, which may allow more than its author wanted. */
function checkConfiguration({ diagnostics }: LoadedConfig): void {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  throw new CadreError("config-invalid", `The configuration has errors:${lines}`);
}
