import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** The current configuration and trust, against which recorded runs are checked. */
export interface AdmissionContext {
  /** The folder that Cadre was opened for; absolute, symlinks resolved. */
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  isTrusted: (path: string) => boolean;
  /** The folder of the registry. */
  stateFolder: string;
  /** The user's permission policy for every run. */
  policy: PermissionPolicy;
  /** The extensions of the configuration. */
  configured: readonly ExtensionConfig[];
  catalog: Catalog;
  /** The recorded form of the default model; `undefined` when there is none. */
  defaultModel: () => Promise<string | undefined>;
  /** The further models that the user named for continued runs. */
  namedModels: ReadonlySet<string>;
  /** Reports whether the program gave a model as an object. */
  hasModel: (reference: string, family: string) => boolean;
  /** The configured fallbacks. */
  fallbacks: readonly string[] | undefined;
}
