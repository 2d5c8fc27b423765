import { setTimeout as delay } from "node:timers/promises";
import type { WebhookSetting } from "../../config/automation-setting.ts";
import type { Registry } from "../../registry/registry.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import { followRegistry } from "../tools/follow.ts";
import type { Webhook } from "../automation.ts";
import { sendWebhook } from "./send-webhook.ts";
import type { WebhookMessage } from "./sign-webhook.ts";
import { toWebhookMessage } from "./webhook-message.ts";

/** Options of {@link deliverWebhook}. */
export interface WebhookOptions {
  name: string;
  /** Distinguishes projects that share a registry. */
  project: string;
  setting: WebhookSetting;
  secret: string;
  registry: Registry;
  signal: AbortSignal;
  onNote: (line: string) => void;
}

/** How far a webhook is. */
export interface WebhookState {
  /** The position of the last event that was handled. */
  position: string;
  failing: Webhook["failing"];
}

/** How long to wait while another process sends the webhook, in milliseconds. */
const othersMs = 5000;
/** The pause before the second attempt; each later one is four times as long, up to the longest. In milliseconds. */
const firstPauseMs = 2000;
const longestPauseMs = 3_600_000;
/** How long a message is repeated, in milliseconds. */
const patienceMs = 24 * 3_600_000;
/** After how many events that it does not tell of the position is saved. */
const eventsASave = 500;

/** The name under which one process sends a webhook. */
export function webhookWork(project: string, name: string): string {
  return `webhook ${name} of ${project}`;
}

/** Reads what was saved of a webhook; `undefined` = nothing. */
export function readWebhookState(saved: JsonValue): WebhookState | undefined {
  if (!isRecord(saved) || typeof saved["position"] !== "string") return undefined;
  const { position, failing } = saved;
  return {
    position,
    failing: isRecord(failing) ? (failing as unknown as Webhook["failing"]) : null,
  };
}

/**
 * Sends the events of a webhook, in order, each until the server takes it or for a day, if this process is the one that does. Resolves
 * with the milliseconds until it must look again; rejects when `signal` aborts or the registry fails.
 */
export async function deliverWebhook(place: WebhookOptions): Promise<number> {
  const { registry, signal, setting } = place;
  const work = webhookWork(place.project, place.name);
  const lead = await registry.leaders.lead(work);
  if (lead === undefined) return othersMs;
  const save = async (state: WebhookState): Promise<boolean> =>
    await registry.leaders.save(work, { ...state });
  const saved = readWebhookState(lead.saved);
  const after = saved?.position ?? (await registry.lastPosition());
  if (saved === undefined && !(await save({ position: after, failing: null }))) return othersMs;
  let handled = after;
  let unsaved = 0;
  for await (const { position, event } of followRegistry(registry, { after, signal })) {
    const message = await toWebhookMessage(registry, setting, event);
    if (message !== undefined) await deliver(place, message, { before: handled, save });
    handled = position;
    unsaved += 1;
    if (message === undefined && unsaved < eventsASave) continue;
    unsaved = 0;
    if (!(await save({ position, failing: null }))) return othersMs;
  }
  return 0;
}

/** Sends a message until the server takes it, or for a day. */
async function deliver(
  { name, setting: { url }, secret, signal, onNote }: WebhookOptions,
  message: WebhookMessage,
  { before, save }: { before: string; save: (state: WebhookState) => Promise<boolean> },
): Promise<void> {
  const since = Date.now();
  for (let attempts = 1; ; attempts += 1) {
    const reason = await sendWebhook(message, { url, secret, signal });
    if (reason === null) return;
    if (attempts === 1) {
      onNote(`The webhook ${name} could not be sent (${reason}); it is repeated for a day.`);
    }
    if (Date.now() - since > patienceMs) {
      onNote(
        `The webhook ${name} gave up the message ${message.id} after ${attempts} attempts: ${reason}.`,
      );
      return;
    }
    // With the position before it, so that a process that takes over sends it again.
    const failing = { webhookId: message.id, attempts, since, reason };
    if (!(await save({ position: before, failing }))) return;
    await delay(Math.min(longestPauseMs, firstPauseMs * 4 ** (attempts - 1)), undefined, {
      signal,
      ref: false,
    });
  }
}
