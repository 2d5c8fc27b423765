/** The configuration and trust that recorded runs are checked against. */

import { configuredExtensions } from "../../config/config.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { DelegateOptions } from "../../delegate/start/delegate.ts";
import { CadreError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import type { AdmissionContext } from "../admission/admission-context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ModelObjects } from "./model-objects.ts";

/** The configuration, options and trust that a Cadre was opened with. */
interface Opened {
  project: Pick<AdmissionContext, "cwd" | "home" | "environment" | "isTrusted">;
  configuration: LoadedConfig;
  catalog: Catalog;
  modelObjects: ModelObjects;
}

/** Creates the context of the checks of recorded runs. */
export function createAdmissionContext(
  { project, configuration, catalog, modelObjects }: Opened,
  {
    stateFolder,
    namedModels,
    resolveDefaultModel,
  }: Pick<AdmissionContext, "stateFolder" | "namedModels"> & {
    resolveDefaultModel: () => Promise<Model>;
  },
): AdmissionContext {
  const defaultModel = async (): Promise<string | undefined> => await idOf(resolveDefaultModel);
  const { fallbacks } = configuration.config;
  const hasModel = createHasModel(modelObjects);
  const rights = { ...project, ...grants(configuration), fallbacks };
  return { ...rights, catalog, stateFolder, namedModels, defaultModel, hasModel };
}

/** The settings that the configuration gives every run. */
export function grants({ config }: LoadedConfig): Pick<DelegateOptions, "configured" | "policy"> {
  const { mode, ...rules } = config.permissions;
  return {
    configured: configuredExtensions(config),
    policy: { mode, rules, from: "the configuration" },
  };
}

/** Creates the test of whether the program gave a model as an object. */
export const createHasModel =
  ({ find }: Pick<ModelObjects, "find">) =>
  (reference: string, family: string): boolean =>
    find(reference, family) !== undefined;

/** The id of a model, if there is one. */
async function idOf(resolveModel: () => Promise<Model>): Promise<string | undefined> {
  try {
    return (await resolveModel()).id;
  } catch (error) {
    if (error instanceof CadreError) return undefined;
    throw error;
  }
}
