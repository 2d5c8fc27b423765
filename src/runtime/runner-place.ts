import { checkDefinition } from "../delegate/check-definition.ts";
import type { ConductOptions } from "../engine/conduct.ts";
import { configOf } from "../extension/stored-extension.ts";

/** What {@link createRunnerPlace} needs. */
export interface RunnerPlaceOptions {
  environment: Readonly<Record<string, string | undefined>>;
  isTrusted: (path: string) => boolean;
}

/** What runners are started with. The folder of a definition may have lost its trust since its run was created. */
export function createRunnerPlace({
  environment,
  isTrusted,
}: RunnerPlaceOptions): ConductOptions["prepareRunner"] {
  return async ({ extensions = [] }, definition) => {
    checkDefinition(definition, isTrusted);
    return { environment, servers: extensions.map(configOf) };
  };
}
