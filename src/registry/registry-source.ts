import type { Registry } from "./registry.ts";

/** Opens the registries of one store: one at first, and another one after a failure. */
export interface RegistrySource {
  /** Opens a registry. `formerOwners` are the ids of the failed ones before it; it may take over their runs at once. */
  openRegistry(formerOwners: readonly string[]): Registry;
}
