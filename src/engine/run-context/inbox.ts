import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Message } from "../../run/message.ts";
import { orAbort } from "../../source/or-abort.ts";

/** Messages to a run from the user and other agents, and results of its background runs. */
export interface Inbox {
  /** Adds a message. Ignores a repeated message, and a result that the run has already read through a tool. */
  arrive(message: Message): void;
  isKnown(messageId: string): boolean;
  /** Announces the result of a background run, by the run's id. */
  expect(runId: string): void;
  /**
   * Marks results as read through a tool, so that they are not delivered. Records each once, because a repeated tool call reads
   * its results again.
   */
  collect(runIds: readonly string[]): void;
  /** The background runs whose results have not arrived. */
  expected(): readonly string[];
  /** The messages that have arrived but are not delivered. */
  undelivered(): readonly Message[];
  /** Reports whether there is a message to deliver before `step`. */
  hasFor(step: string): boolean;
  /**
   * Returns and records the messages to deliver before the model step `step`. A step that was answered in an earlier execution
   * gets exactly the messages it got then.
   */
  deliver(step: string, isAnswered: boolean): readonly Message[];
  /**
   * The messages sent to earlier attempts, whose step keys do not begin with `prefix`. The next attempt gets their messages from
   * people and agents, but not their results.
   */
  receivedBefore(prefix: string): readonly Message[];
  /** Resolves when a message arrives or is collected. Rejects when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  /** Restores messages from the journal of earlier executions. */
  restore(history: readonly RunEvent[]): void;
}

/** Creates the inbox of one run. */
export function createInbox(registry: Registry, runId: string): Inbox {
  return new JournaledInbox(registry, runId);
}

/**
 * A class instead of closures: its instances share methods, and thousands of runs may wait. Most runs get no message, so the
 * collections are created on first use.
 */
class JournaledInbox implements Inbox {
  readonly #registry: Registry;
  readonly #runId: string;
  #delivered: Map<string, readonly Message[]> | undefined;
  #known: Set<string> | undefined;
  #expected: Set<string> | undefined;
  #pending: Message[] = [];
  #wake: (() => void) | undefined;

  constructor(registry: Registry, runId: string) {
    this.#registry = registry;
    this.#runId = runId;
  }

  arrive(message: Message): void {
    this.#expected?.delete(message.id);
    if (!this.isKnown(message.id)) this.#pending.push(message);
    this.#know(message.id);
    this.#wake?.();
  }

  isKnown(id: string): boolean {
    return this.#known?.has(id) === true;
  }

  expect(id: string): void {
    if (!this.isKnown(id)) (this.#expected ??= new Set()).add(id);
  }

  collect(runIds: readonly string[]): void {
    const unread = runIds.filter((id) => !this.#isReceived(id));
    if (unread.length === 0) return;
    this.#registry.append(this.#runId, { type: "results-collected", runIds: unread });
    this.#drop(unread);
  }

  expected(): readonly string[] {
    return [...(this.#expected ?? [])];
  }

  undelivered(): readonly Message[] {
    return this.#pending;
  }

  hasFor(step: string): boolean {
    return this.#pending.length > 0 || this.#delivered?.has(step) === true;
  }

  deliver(step: string, isAnswered: boolean): readonly Message[] {
    const before = this.#delivered?.get(step) ?? [];
    if (isAnswered || this.#pending.length === 0) return before;
    const messages = this.#pending;
    this.#pending = [];
    this.#registry.append(this.#runId, { type: "messages-delivered", step, messages });
    this.#noteDelivery(step, [...before, ...messages]);
    return [...before, ...messages];
  }

  receivedBefore(prefix: string): readonly Message[] {
    return this.#delivered === undefined ? [] : wordsBefore(this.#delivered, prefix);
  }

  async next(signal: AbortSignal): Promise<void> {
    await orAbort(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
  }

  restore(history: readonly RunEvent[]): void {
    for (const event of history) {
      if (event.type === "messages-delivered") this.#recall(event.step, event.messages);
      if (event.type === "results-collected") this.#drop(event.runIds);
      if (event.type === "message-queued") this.arrive(event.message);
    }
  }

  #recall(step: string, messages: readonly Message[]): void {
    this.#noteDelivery(step, [...(this.#delivered?.get(step) ?? []), ...messages]);
    this.#drop(messages.map(({ id }) => id));
  }

  #know(id: string): void {
    (this.#known ??= new Set()).add(id);
  }

  #noteDelivery(step: string, messages: readonly Message[]): void {
    (this.#delivered ??= new Map()).set(step, messages);
  }

  #isReceived(id: string): boolean {
    return this.isKnown(id) && !this.#pending.some((message) => message.id === id);
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#know(id);
      this.#expected?.delete(id);
    }
    this.#pending = this.#pending.filter(({ id }) => !ids.includes(id));
    this.#wake?.();
  }
}

function wordsBefore(
  delivered: ReadonlyMap<string, readonly Message[]>,
  prefix: string,
): Message[] {
  return [...delivered]
    .filter(([step]) => !step.startsWith(prefix))
    .flatMap(([, messages]) => messages.filter(({ kind }) => kind === "steering"));
}
