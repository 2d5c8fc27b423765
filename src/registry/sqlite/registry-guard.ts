import { CadreError } from "../../errors.ts";
import { toRegistryError } from "./registry-error.ts";

/** Runs `work`; converts the errors of SQLite to errors that name the file and say what to do. */
export type RegistryGuard = <Value>(work: () => Value) => Value;

/** Creates the guard of the registry at `path`. Once `closed` aborts, the guard throws `closed`. */
export function createRegistryGuard(path: string, closed: AbortSignal): RegistryGuard {
  return (work) => {
    if (closed.aborted) {
      const message = `The registry ${path} was closed; open it again to continue.`;
      throw new CadreError("closed", message);
    }
    try {
      return work();
    } catch (error) {
      throw toRegistryError(error, path);
    }
  };
}

/** Applies `guard` to asynchronous work. */
export async function guardAsync<Value>(
  guard: RegistryGuard,
  work: () => Promise<Value>,
): Promise<Value> {
  const [outcome] = await Promise.allSettled([guard(work)]);
  return guard(() => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}
