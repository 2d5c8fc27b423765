import { createHmac } from "node:crypto";

/** A request of a webhook. */
export interface WebhookMessage {
  /** The same for each attempt. */
  id: string;
  body: string;
}

/**
 * Returns the headers that sign a message as Standard Webhooks describes it. A secret with the prefix `whsec_` is base64; any
 * other secret is used as it is. `now` is in epoch milliseconds.
 */
export function signWebhook(
  { id, body }: WebhookMessage,
  secret: string,
  now: number,
): Record<string, string> {
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
