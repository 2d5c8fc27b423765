import type { Registry } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { Message } from "../run/message.ts";
import { orAbort } from "../source/or-abort.ts";

/** What others have to say to a run: words of the user or of other agents, and results of runs in the background. */
export interface Inbox {
  /** A message came. One that came before, or whose result the run got otherwise, is not taken again. */
  arrive(message: Message): void;
  isKnown(messageId: string): boolean;
  /** A run in the background is at work, whose result will arrive under its id. */
  expect(runId: string): void;
  /** The run got these results from a tool: they are not delivered any more. */
  collect(runIds: readonly string[]): void;
  /** The runs in the background whose results have not arrived. */
  expected(): readonly string[];
  /** What has arrived and was not delivered. */
  unheard(): readonly Message[];
  /** Whether there is something to deliver before `step`. */
  hasFor(step: string): boolean;
  /**
   * What the conversation gets before the model step `step`, recorded. A step that was answered in an earlier attempt gets what it
   * got then and nothing more.
   */
  deliver(step: string, isAnswered: boolean): readonly Message[];
  /** What was said to attempts whose steps do not begin with `prefix`: words count for the next one too, results do not. */
  saidBefore(prefix: string): readonly Message[];
  /** Resolves when something arrives or is collected; rejects when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  /** Takes in the journal of earlier attempts. */
  restore(history: readonly RunEvent[]): void;
}

/** The inbox of one run. */
export function createInbox(registry: Registry, runId: string): Inbox {
  const delivered = new Map<string, readonly Message[]>();
  const known = new Set<string>();
  const expected = new Set<string>();
  let pending: Message[] = [];
  let wake = (): void => undefined;

  function drop(ids: readonly string[]): void {
    for (const id of ids) {
      known.add(id);
      expected.delete(id);
    }
    pending = pending.filter(({ id }) => !ids.includes(id));
    wake();
  }

  function recall(step: string, messages: readonly Message[]): void {
    delivered.set(step, [...(delivered.get(step) ?? []), ...messages]);
    drop(messages.map(({ id }) => id));
  }

  function arrive(message: Message): void {
    expected.delete(message.id);
    if (!known.has(message.id)) pending.push(message);
    known.add(message.id);
    wake();
  }

  return {
    arrive,
    isKnown: (id) => known.has(id),
    expect: (id) => void (known.has(id) || expected.add(id)),
    collect(runIds) {
      registry.append(runId, { type: "results-collected", runIds });
      drop(runIds);
    },
    expected: () => [...expected],
    unheard: () => pending,
    hasFor: (step) => pending.length > 0 || delivered.has(step),
    deliver(step, isAnswered) {
      const before = delivered.get(step) ?? [];
      if (isAnswered || pending.length === 0) return before;
      const messages = pending;
      pending = [];
      registry.append(runId, { type: "messages-delivered", step, messages });
      delivered.set(step, [...before, ...messages]);
      return [...before, ...messages];
    },
    saidBefore: (prefix) => wordsBefore(delivered, prefix),
    async next(signal) {
      await orAbort(new Promise<void>((resolve) => (wake = resolve)), signal);
    },
    restore(history) {
      for (const event of history) {
        if (event.type === "messages-delivered") recall(event.step, event.messages);
        if (event.type === "results-collected") drop(event.runIds);
        if (event.type === "message-queued") arrive(event.message);
      }
    },
  };
}

function wordsBefore(
  delivered: ReadonlyMap<string, readonly Message[]>,
  prefix: string,
): Message[] {
  return [...delivered]
    .filter(([step]) => !step.startsWith(prefix))
    .flatMap(([, messages]) => messages.filter(({ kind }) => kind === "steering"));
}
