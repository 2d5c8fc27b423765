import { CadreError } from "../errors.ts";
import { toRegistryError } from "./registry-error.ts";

/** Does `work`; turns what SQLite throws into an error that names the file and says what to do. */
export type RegistryGuard = <Value>(work: () => Value) => Value;

/** The guard of the registry at `path`, until it is `closed`. */
export function createRegistryGuard(path: string, closed: AbortSignal): RegistryGuard {
  return (work) => {
    if (closed.aborted) {
      const message = `The registry ${path} was closed; open it anew to go on with it.`;
      throw new CadreError("closed", message);
    }
    try {
      return work();
    } catch (error) {
      throw toRegistryError(error, path);
    }
  };
}

/** The same for work that takes its time. */
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
