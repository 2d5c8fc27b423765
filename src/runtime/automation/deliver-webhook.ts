import { setTimeout as delay } from "node:timers/promises";
import type { WebhookSetting } from "../../config/automation-setting.ts";
import type { PositionedEvent, Registry } from "../../registry/registry.ts";
import { followRegistry } from "../tools/follow.ts";
import { sendWebhook } from "./send-webhook.ts";
import type { WebhookMessage } from "./sign-webhook.ts";
import { toWebhookMessage } from "./webhook-message.ts";
import {
  type FailedMessage,
  maxRepeated,
  readWebhookState,
  type WebhookState,
  toJson,
  webhookWork,
} from "./webhook-state.ts";

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
  /** The pause before the second attempt, in milliseconds; each later pause is four times as long. Default 2,000. */
  firstPauseMs?: number;
}

/** How long to wait while another process sends the webhook, in milliseconds. */
const othersMs = 5000;
const maxPauseMs = 3_600_000;
/** The number of attempts to send a message in order before later ones are sent. */
const orderedAttempts = 4;
/** How long a message is retried, in milliseconds. */
const maxFailingMs = 24 * 3_600_000;
/** The number of events without a message after which the position is saved. */
const eventsASave = 500;

/** Thrown when another process has taken over the webhook. */
class NotLeading extends Error {}

/**
 * Sends the events of a webhook in order, if this process is the one that does. A message that fails several times is retried
 * separately for a day. Resolves with the milliseconds until the next call. Rejects when `signal` aborts or the registry fails.
 */
export async function deliverWebhook(options: WebhookOptions): Promise<number> {
  const { registry } = options;
  const work = webhookWork(options.project, options.name);
  const lead = await registry.leaders.lead(work);
  if (lead === undefined) return othersMs;
  const saved = readWebhookState(lead.saved);
  const state: WebhookState = saved ?? { position: await registry.lastPosition(), failed: [] };
  const delivery = createDelivery(options, state, async () => {
    if (!(await registry.leaders.save(work, toJson(state)))) throw new NotLeading();
  });
  try {
    if (saved === undefined) await delivery.save();
    await follow(options, delivery);
    return 0;
  } catch (error) {
    if (error instanceof NotLeading) return othersMs;
    throw error;
  }
}

/** The delivery of a webhook's messages. */
interface Delivery {
  state: WebhookState;
  save(): Promise<void>;
  /** Sends the message of an event, in order. */
  deliver(positioned: PositionedEvent): Promise<void>;
  /** Retries the failed messages that are due. */
  repeat(): Promise<void>;
}

/** Sends messages as events arrive, and retries failed messages when they are due. */
async function follow({ registry, signal }: WebhookOptions, delivery: Delivery): Promise<void> {
  const { state } = delivery;
  const leaving = new AbortController();
  const ended = AbortSignal.any([signal, leaving.signal]);
  const events = followRegistry(registry, { after: state.position, signal: ended });
  try {
    let next = events.next();
    for (;;) {
      // While the server accepts nothing for a long time, the journal keeps the rest.
      const isFull = state.failed.length >= maxRepeated;
      const came = await orDue(isFull ? new Promise<never>(() => undefined) : next, state, signal);
      if (came === undefined) {
        await delivery.repeat();
        continue;
      }
      if (came.done === true) return;
      await delivery.deliver(came.value);
      next = events.next();
    }
  } finally {
    leaving.abort();
    await events.return(undefined).catch(() => undefined);
  }
}

/** Resolves with `undefined` when a failed message is due first. */
async function orDue<Value>(
  next: Promise<Value>,
  { failed }: WebhookState,
  signal: AbortSignal,
): Promise<Value | undefined> {
  if (failed.length === 0) return await next;
  const dueAt = Math.min(...failed.map(({ nextAt }) => nextAt));
  const leaving = new AbortController();
  const ended = AbortSignal.any([leaving.signal, signal]);
  const due = delay(Math.max(0, dueAt - Date.now()), undefined, { signal: ended, ref: false });
  try {
    return await Promise.race([next, due]);
  } finally {
    leaving.abort();
    due.catch(() => undefined);
  }
}

function createDelivery(
  options: WebhookOptions,
  state: WebhookState,
  save: () => Promise<void>,
): Delivery {
  const { registry, setting } = options;
  const attempts = createAttempts(options);
  let unsaved = 0;

  async function deliver({ position, event }: PositionedEvent): Promise<void> {
    const message = await toWebhookMessage(registry, setting, event);
    unsaved += 1;
    if (message !== undefined) {
      const failure = await attempts.inOrder(message, async (current) => {
        // Its position is not saved yet, so a process that takes over sends it again.
        state.head = current;
        await save();
      });
      delete state.head;
      if (failure !== null) state.failed.push(failure);
      // When a server accepts messages again, it gets the failed ones at once.
      else for (const one of state.failed) one.nextAt = Math.min(one.nextAt, Date.now());
    }
    state.position = position;
    if (message === undefined && unsaved < eventsASave) return;
    unsaved = 0;
    await save();
  }

  async function repeat(): Promise<void> {
    for (const one of state.failed.filter(({ nextAt }) => nextAt <= Date.now())) {
      if (await attempts.again(one)) state.failed.splice(state.failed.indexOf(one), 1);
      await save();
    }
  }

  return { state, save, deliver, repeat };
}

/** Sends the messages of a webhook, and decides on retries. */
interface Attempts {
  /**
   * Sends a message up to {@link orderedAttempts} times, and calls `onPause` before each pause. Resolves with `null` when the
   * server accepted it, otherwise with a description of the failure.
   */
  inOrder(
    message: WebhookMessage,
    onPause: (failure: Omit<FailedMessage, "nextAt">) => Promise<void>,
  ): Promise<FailedMessage | null>;
  /** Retries a failed message once, and updates its failure. Resolves with true when it is done: accepted or given up. */
  again(failed: FailedMessage): Promise<boolean>;
}

function createAttempts(options: WebhookOptions): Attempts {
  const { name, setting, secret, signal, onNote, firstPauseMs = 2000 } = options;
  const pauseAfter = (attempts: number): number =>
    Math.min(maxPauseMs, firstPauseMs * 4 ** (attempts - 1));
  const send = async (message: WebhookMessage): Promise<string | null> =>
    await sendWebhook(message, { url: setting.url, secret, signal });
  return {
    async inOrder(message, onPause) {
      const since = Date.now();
      for (let attempts = 1; ; attempts += 1) {
        const reason = await send(message);
        if (reason === null) return null;
        if (attempts === 1) {
          onNote(`The webhook ${name} could not be sent (${reason}); it is retried for a day.`);
        }
        const pauseMs = pauseAfter(attempts);
        const failure = { webhookId: message.id, attempts, since, reason };
        if (attempts === orderedAttempts) return { ...failure, nextAt: Date.now() + pauseMs };
        await onPause(failure);
        await delay(pauseMs, undefined, { signal, ref: false });
      }
    },
    async again(failed) {
      const message = await readAgain(options, failed);
      // A run that was deleted in the meantime has no message.
      const reason = message === undefined ? null : await send(message);
      if (reason === null) return true;
      failed.attempts += 1;
      if (Date.now() - failed.since > maxFailingMs) {
        const { webhookId, attempts } = failed;
        onNote(
          `The webhook ${name} gave up the message ${webhookId} after ${attempts} attempts: ${reason}.`,
        );
        return true;
      }
      failed.reason = reason;
      failed.nextAt = Date.now() + pauseAfter(failed.attempts);
      return false;
    },
  };
}

/** Rebuilds a message from the journal. */
async function readAgain(
  { registry, setting }: WebhookOptions,
  { webhookId }: FailedMessage,
): Promise<WebhookMessage | undefined> {
  const [runId = "", seq = ""] = webhookId.split(".");
  const [event] = await registry.events(runId, { after: Number(seq) - 1, limit: 1 });
  return event && (await toWebhookMessage(registry, setting, event));
}
