import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { Webhook } from "../automation.ts";

type Failure = NonNullable<Webhook["failing"]>;

/** A message that is retried while later ones are sent. */
export interface FailedMessage extends Failure {
  /** The time of the next attempt, in epoch milliseconds. */
  nextAt: number;
}

/** The progress of a webhook. */
export interface WebhookState {
  /** The position of the last event that was sent, or is in `failed`. */
  position: string;
  /** The message after `position`, when it failed. */
  head?: Failure;
  failed: FailedMessage[];
}

/** The maximum number of failed messages of a webhook. When it is reached, no later event is sent. */
export const maxRepeated = 100;

/** The name under which one process sends a webhook. */
export function webhookWork(project: string, name: string): string {
  return `webhook ${name} of ${project}`;
}

/** Returns the state in its saved form. */
export function toJson({ position, head, failed }: WebhookState): JsonObject {
  const saved = failed.map((one) => ({ ...one }));
  return { position, failed: saved, ...(head !== undefined && { head: { ...head } }) };
}

/** Reads the saved state of a webhook; `undefined` = none. */
export function readWebhookState(saved: JsonValue): WebhookState | undefined {
  if (!isRecord(saved) || typeof saved["position"] !== "string") return undefined;
  const { position, head, failed } = saved;
  return {
    position,
    ...(isFailure(head) && { head }),
    failed: Array.isArray(failed) ? (failed as unknown[]).filter(isFailedMessage) : [],
  };
}

/** Returns the message that has been failing longest, and the number of failed messages. */
export function describeFailures({
  head,
  failed,
}: WebhookState): Pick<Webhook, "failing" | "repeated"> {
  const [oldest] = [...(head === undefined ? [] : [head]), ...failed].toSorted(
    (one, other) => one.since - other.since,
  );
  if (oldest === undefined) return { failing: null, repeated: 0 };
  const { webhookId, attempts, since, reason } = oldest;
  return { failing: { webhookId, attempts, since, reason }, repeated: failed.length };
}

function isFailure(value: unknown): value is Failure {
  if (!isRecord(value)) return false;
  const { webhookId, attempts, since, reason } = value;
  const isText = typeof webhookId === "string" && typeof reason === "string";
  return isText && typeof attempts === "number" && typeof since === "number";
}

function isFailedMessage(value: unknown): value is FailedMessage {
  return isFailure(value) && "nextAt" in value && typeof value.nextAt === "number";
}
