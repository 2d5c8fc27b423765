import { errorMessage } from "../../error-message.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createStateFolder, requireHome, requirePossible } from "../../config/state-folder.ts";
import { CadreError } from "../../errors.ts";
import type { RegistrySource } from "../../registry/registry-source.ts";
import type { Registry, RunListener } from "../../registry/registry.ts";
import { openRegistry } from "../../registry/sqlite/sqlite-registry.ts";
import type { Run } from "../../run/run.ts";

/** The registry of one project, opened on first use. */
export interface Store {
  /** Opens the registry, and creates it if there is none. */
  open(): Registry;
  /** Opens an existing registry: reading runs creates nothing. */
  openExisting(): Registry | undefined;
  /** Whether the registry failed and must be reopened. */
  readonly hasFailed: boolean;
  /** Reopens it after a failure. Everything that used the failed registry must have ended. */
  reopen(): Promise<void>;
  /** Calls `listener` for the events of this process, across reopening. */
  subscribe(listener: RunListener): () => void;
  close(): Promise<void>;
}

/** Options of {@link createStore}. */
export interface StoreOptions {
  /** The folder of the registry. */
  folder: string;
  /** The user's home folder, which may contain it. */
  home: string;
  /** A registry, or the source of registries, instead of a file in `folder`. */
  registry?: Registry | RegistrySource | undefined;
}

/** The registries given to a Cadre. Each acts as one process, so two Cadres cannot share it. */
const taken = new WeakSet<Registry>();

/**
 * Creates the store of the registry in `folder`, or of the given registry, which it closes.
 *
 * @throws CadreError `invalid-argument` for a registry that another Cadre has.
 */
export function createStore(options: StoreOptions): Store {
  const { given, ...source } = chooseSource(options);
  const listeners = new Set<RunListener>();
  const formerOwners: string[] = [];
  let registry: Registry | undefined;
  let isClosed = false;

  function open(): Registry {
    if (isClosed) {
      throw new CadreError("closed", "This Cadre was closed. Create a new one with createCadre().");
    }
    return (registry ??= openNew());
  }

  function openNew(): Registry {
    const opened = source.open([...formerOwners]);
    opened.subscribe((event, run) => listeners.forEach((listener) => listener(event, run)));
    return opened;
  }

  return {
    open,
    get hasFailed() {
      return registry?.failed.aborted === true;
    },
    async reopen() {
      const former = open();
      formerOwners.push(former.ownerId);
      // Opens first: when this throws, the former one can still be read.
      registry = openNew();
      await former.close();
    },
    subscribe(listener) {
      open();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    openExisting: () =>
      isClosed || registry !== undefined || source.exists() ? open() : undefined,
    async close() {
      isClosed = true;
      await (registry ?? given)?.close();
    },
  };
}

/** The source of a store's registry. */
interface RegistryOpener {
  exists(): boolean;
  open(formerOwners: readonly string[]): Registry;
  /** A registry that the program opened, and that is closed with the store. */
  given?: Registry;
}

function chooseSource(options: StoreOptions): RegistryOpener {
  const { registry, folder, home } = options;
  if (registry === undefined) return createFileSource(options);
  if (!("openRegistry" in registry)) return useGiven(registry, options);
  return {
    exists: () => true,
    open(formerOwners) {
      prepareFolder(folder, home);
      return registry.openRegistry(formerOwners);
    },
  };
}

/** Prepares the folder, which holds the long outputs of runs and programs, wherever their journals are. */
function prepareFolder(folder: string, home: string): void {
  requireHome(folder, home);
  createStateFolder(folder);
}

function createFileSource({ folder, home }: StoreOptions): RegistryOpener {
  const path = join(folder, "cadre.db");
  return {
    exists() {
      if (existsSync(path)) return true;
      requirePossible(folder);
      return false;
    },
    open(formerOwners) {
      requireHome(folder, home);
      return openRegistry({ path, formerOwners });
    },
  };
}

function useGiven(registry: Registry, { folder, home }: StoreOptions): RegistryOpener {
  if (taken.has(registry)) {
    const message =
      "The registry given to createCadre belongs to another Cadre. Open another one over the same store: each acts as one process.";
    throw new CadreError("invalid-argument", message);
  }
  taken.add(registry);
  return {
    given: registry,
    exists: () => true,
    open() {
      if (!registry.failed.aborted) {
        prepareFolder(folder, home);
        return registry;
      }
      const { reason } = registry.failed;
      const reasonText = errorMessage(reason);
      const message = `The registry given to createCadre has failed: ${reasonText} Close this Cadre, open the registry again, and create a new Cadre with it.`;
      throw new CadreError("registry-unavailable", message, { cause: reason });
    },
  };
}

/**
 * Finds the run that a user names by an id, the part after its dash, a prefix, or `last`.
 *
 * @throws CadreError `run-not-found`.
 */
export async function findRun(registry: Registry | undefined, id: string): Promise<Run> {
  if (registry === undefined) {
    throw new CadreError("run-not-found", `There is no run ${id}: no run was started here yet.`);
  }
  if (id === "last") {
    const [last] = await registry.runs({ rootsOnly: true, limit: 1 });
    if (last !== undefined) return last;
    throw new CadreError("run-not-found", "There is no last run: no run was started here yet.");
  }
  const exact = await registry.run(id);
  if (exact !== undefined) return exact;
  const [found, ...others] = id === "" ? [] : await registry.findRuns(id);
  if (found === undefined) {
    throw new CadreError("run-not-found", `There is no run ${id}. \`cadre runs\` lists them.`);
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map((run) => run.id).join(", ");
  throw new CadreError("run-not-found", `Several runs match ${id}: ${ids}. Enter more of the id.`);
}
