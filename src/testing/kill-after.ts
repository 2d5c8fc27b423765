import type { Cadre } from "../runtime/cadre.ts";
import { CadreError } from "../errors.ts";
import { killOwnProcess } from "../tool/process/kill-own-process.ts";

/**
 * Kills this process with SIGKILL after `events` more events of `cadre`'s runs have become durable. Call it in a separate program that
 * a test starts and whose runs the test resumes. Events that become durable together with the last one are durable too.
 *
 * @throws CadreError `invalid-argument` when `events` is not a positive whole number.
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
