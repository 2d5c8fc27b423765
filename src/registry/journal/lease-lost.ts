import { CadreError } from "../../errors.ts";

/** The error of a process whose runs another process took over. */
export function leaseLost(): CadreError {
  return new CadreError(
    "lease-lost",
    "Another process took over the runs of this one, which had sent no heartbeat for too long. " +
      "This process must stop working on them; watch them with `cadre runs`.",
  );
}
