import { checkDefinition } from "../../delegate/request/check-definition.ts";
import type { ConductOptions } from "../../engine/life/conduct.ts";
import { configOf } from "../../extension/stored-extension.ts";

/** Options of {@link createRunnerPreparation}. */
export interface RunnerPreparationOptions {
  environment: Readonly<Record<string, string | undefined>>;
  isTrusted: (path: string) => boolean;
}

/**
 * Creates the function that prepares the start of runners. The folder of a definition may have lost its trust since its run was
 * created.
 */
export function createRunnerPreparation({
  environment,
  isTrusted,
}: RunnerPreparationOptions): ConductOptions["prepareRunner"] {
  return async ({ extensions = [] }, definition) => {
    checkDefinition(definition, isTrusted);
    return { environment, servers: extensions.map(configOf) };
  };
}
