import { checkDefinition } from "../delegate/check-definition.ts";
import type { ConductOptions } from "../engine/conduct.ts";
import { loadExtension } from "../extension/stored-extension.ts";

/** What {@link createRunnerPlace} needs. */
export interface RunnerPlaceOptions {
  environment: Readonly<Record<string, string | undefined>>;
  isTrusted: (path: string) => boolean;
  /** The folder of the registry. */
  stateFolder: string;
}

/** What runners are started with. The folder of a definition may have lost its trust since its run was created. */
export function createRunnerPlace({
  environment,
  isTrusted,
  stateFolder,
}: RunnerPlaceOptions): ConductOptions["prepareRunner"] {
  return async ({ extensions = [] }, definition) => {
    checkDefinition(definition, isTrusted);
    const servers = await Promise.all(extensions.map((one) => loadExtension(stateFolder, one)));
    return { environment, servers };
  };
}
