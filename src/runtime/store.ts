import { existsSync } from "node:fs";
import { join } from "node:path";
import { requireHome } from "../config/state-folder.ts";
import { CadreError } from "../errors.ts";
import type { Registry, RunListener } from "../registry/registry.ts";
import { openRegistry } from "../registry/sqlite-registry.ts";
import type { Run } from "../run/run.ts";

/** The registry of one project, opened when it is first needed. */
export interface Store {
  /** Opens it, and makes it where there is none. */
  open(): Registry;
  /** Opens it where there is one: looking at runs leaves no trace in a folder without any. */
  openExisting(): Registry | undefined;
  /** Whether nothing can be recorded any more before it is opened anew. */
  readonly hasFailed: boolean;
  /** Opens it anew after it failed; what was at work with the one that failed must have ended. */
  reopen(): Promise<void>;
  /** Calls `listener` for the events of this process, also after the registry was opened anew. */
  subscribe(listener: RunListener): () => void;
  close(): Promise<void>;
}

/** The registry in `folder`; `home` is the user's, which it may be below. */
export function createStore(folder: string, home: string): Store {
  const path = join(folder, "cadre.db");
  const listeners = new Set<RunListener>();
  const formerOwners: string[] = [];
  let registry: Registry | undefined;
  let isClosed = false;

  function open(): Registry {
    if (isClosed) {
      throw new CadreError("closed", "This Cadre was closed. Make a new one with createCadre().");
    }
    return (registry ??= openNew());
  }

  function openNew(): Registry {
    requireHome(folder, home);
    const opened = openRegistry({ path, formerOwners: [...formerOwners] });
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
      // Before the other is closed, which can still be read when this throws.
      registry = openNew();
      await former.close();
    },
    subscribe(listener) {
      open();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    openExisting: () =>
      isClosed || registry !== undefined || existsSync(path) ? open() : undefined,
    async close() {
      isClosed = true;
      await registry?.close();
    },
  };
}

/**
 * The run that a user means by an id, the part of it behind the dash, the beginning of it, or `last`.
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
  throw new CadreError("run-not-found", `Several runs fit ${id}: ${ids}. Give more of the id.`);
}
