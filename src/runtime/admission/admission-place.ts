import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import type { Catalog } from "../catalog.ts";

/** What is configured and trusted now, against which recorded runs are checked. */
export interface AdmissionPlace {
  /** Where Cadre was opened, real and absolute. */
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  isTrusted: (path: string) => boolean;
  /** The folder of the registry. */
  stateFolder: string;
  /** What the user allows every run. */
  policy: PermissionPolicy;
  /** The extensions of the configuration. */
  configured: readonly ExtensionConfig[];
  catalog: Catalog;
  /** The model of runs that name none, as they record it; `undefined` when there is none. */
  defaultModel: () => Promise<string | undefined>;
}
