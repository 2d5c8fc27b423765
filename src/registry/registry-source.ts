import type { Registry } from "./registry.ts";

/** Opens the registries of one store: the first, and another one after each failure. */
export interface RegistrySource {
  /** Opens a registry. `formerOwners` are the ids of earlier, failed registries, whose runs it may take over at once. */
  openRegistry(formerOwners: readonly string[]): Registry;
}
