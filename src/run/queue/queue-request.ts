// How a run waits for a worker: its priority, earliest start and key against duplicates.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { closedObject } from "../../source/closed-object.ts";
import { explainIssue } from "../../source/explain-issue.ts";

/** How a run waits for a worker. Only for root runs of an engine whose runs workers execute. */
export interface QueueRequest {
  /** A whole number from -100 to 100. Runs with a higher priority are taken first. Default 0. */
  priority?: number;
  /**
   * The earliest time at which a worker takes the run, by the clock of the database: a Date, or ISO 8601 with a time zone.
   * Default: now.
   */
  startAt?: string | Date;
  /** Instead of `startAt`: seconds after the submission, at most 10 years. */
  startAfterSeconds?: number;
  /**
   * A key of 1 to 200 characters. While a run with this key has not ended, a request with the same key returns that run and
   * starts no other.
   */
  dedupeKey?: string;
}

const maxDelaySeconds = 10 * 366 * 86_400;

/** The schema of a {@link QueueRequest} as data. */
export const queueRequestSchema: z.ZodType<QueueRequest> = z.lazy(
  () =>
    closedObject({
      priority: z.int().min(-100).max(100).exactOptional(),
      startAt: z.iso.datetime({ offset: true }).exactOptional(),
      startAfterSeconds: z.number().min(0).max(maxDelaySeconds).exactOptional(),
      dedupeKey: z.string().min(1).max(200).exactOptional(),
    }).refine(
      ({ startAt, startAfterSeconds }) => startAt === undefined || startAfterSeconds === undefined,
      { message: "`startAt` or `startAfterSeconds` is expected, got both" },
    ) as z.ZodType<QueueRequest>,
);

/**
 * Checks a queue request. Programs without a compiler may pass any value.
 *
 * @throws CadreError `invalid-argument`.
 */
export function readQueueRequest(given: unknown): QueueRequest {
  const read = queueRequestSchema.safeParse(toData(given), { error: explainIssue });
  if (read.success) return read.data;
  const issues = read.error.issues.map(
    ({ path, message }) => `\n- ${["queue", ...path].join(".")}: ${message}`,
  );
  const message = `Expected \`queue\` of the request as { priority?, startAt?, startAfterSeconds?, dedupeKey? }:${issues.join("")}`;
  throw new CadreError("invalid-argument", message);
}

/** Converts a date to its JSON text. */
function toData(given: unknown): unknown {
  const { startAt } = (given ?? {}) as { startAt?: unknown };
  if (!(startAt instanceof Date) || Number.isNaN(startAt.getTime())) return given;
  return { ...(given as object), startAt: startAt.toISOString() };
}

/** Refuses a queue request where runs do not wait for workers. @throws CadreError `config-invalid`. */
export function refuseQueueRequest(queue: QueueRequest | undefined): void {
  if (queue === undefined) return;
  const message =
    "Expected no `queue` in a request for a run that this process executes; only runs for workers wait in a queue. Submit the run to workers with the setting `engine: dbos` or the option `--detach`.";
  throw new CadreError("config-invalid", message);
}
