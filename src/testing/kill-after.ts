import type { Cadre } from "../runtime/cadre.ts";
import { CadreError } from "../errors.ts";
import { killOwnProcess } from "../tool/process/kill-own-process.ts";

/**
 * Kills this process with SIGKILL once `events` more events of runs of `cadre` are durable. Call it in a program of its own, which a
 * test starts and whose runs it resumes. Events that become durable together with the last one are durable too.
 *
 * @throws CadreError `invalid-argument` when `events` is not a whole number from 1.
 */
export function killAfter(cadre: Pick<Cadre, "onEvent">, events: number): void {
  if (!Number.isInteger(events) || events < 1) {
    const message = `Expected a number of events from 1, got ${events}.`;
    throw new CadreError("invalid-argument", message);
  }
  let left = events;
  cadre.onEvent(() => {
    left -= 1;
    if (left === 0) killOwnProcess();
  });
}
