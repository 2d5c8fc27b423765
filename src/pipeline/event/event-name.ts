import type { JsonObject } from "../../source/json.ts";
import { didYouMean, nearest } from "../../source/nearest.ts";

/** The events a pipeline itself dispatches, in the order of a run. */
export const rootEvents = ["start", "task::start", "task::end", "end"] as const;

/** An event a pipeline itself dispatches. */
export type RootEvent = (typeof rootEvents)[number];

/** What agents subscribe to; those with a namespace of their own are emitted by agents. */
export type PipelineEvent = RootEvent | `${string}::${string}`;

/** The longest name of an event, in characters. */
const longestEvent = 200;
const namespacedPattern = "[A-Za-z0-9_@./-]+(?:::[A-Za-z0-9_@./-]+)+";
const namespaced = new RegExp(`^${namespacedPattern}$`);

/** The JSON Schema of an event that an agent may emit. */
export const emittedEventSchema: JsonObject = {
  type: "string",
  pattern: `^${namespacedPattern}$`,
  maxLength: longestEvent,
  // The pattern excludes those without a namespace.
  not: { enum: rootEvents.filter((event) => namespaced.test(event)) },
};

/** The JSON Schema of an event that an agent may subscribe to. */
export const subscribedEventSchema: JsonObject = {
  type: "string",
  pattern: `^(?:${rootEvents.join("|")}|${namespacedPattern})$`,
  maxLength: longestEvent,
};

/** What other tools call a root event, and earlier versions of them did. */
const otherNames: ReadonlyMap<string, RootEvent> = new Map([
  ["coder::start", "start"],
  ["coder::end", "end"],
  ["pre", "start"],
  ["post", "end"],
  ["pre_task", "task::start"],
  ["post_task", "task::end"],
]);

/** Whether the pipeline itself dispatches `event`. */
export function isRootEvent(event: string): event is RootEvent {
  return (rootEvents as readonly string[]).includes(event);
}

/** What keeps an agent from subscribing to `event`, or `null`. */
export function findSubscriptionProblem(event: string): string | null {
  return isRootEvent(event) || isNamespaced(event) ? null : expect(event, [...rootEvents]);
}

/** What keeps an agent from emitting `event`, or `null`: root events are the pipeline's own. */
export function findEmissionProblem(event: string): string | null {
  if (isRootEvent(event)) {
    return `Expected a namespaced event, such as \`my-agent::end\`; got \`${event}\`, which only the pipeline itself dispatches.`;
  }
  return isNamespaced(event) ? null : expect(event, []);
}

/** The root event that was most likely meant by a valid name nothing dispatches by itself, such as `coder::start`. */
export function findMeantRootEvent(event: string): RootEvent | null {
  if (isRootEvent(event)) return null;
  const lower = event.toLowerCase();
  return otherNames.get(lower) ?? (isRootEvent(lower) ? lower : null);
}

/** The root event that a valid name is only a slip away from, such as `taks::end`; each part of the name must be near. */
export function findSimilarRootEvent(event: string): RootEvent | null {
  const names = new Map([...rootEvents.map((root) => [root, root] as const), ...otherNames]);
  const parts = event.split("::");
  const isSimilar = (name: string): boolean => {
    const wanted = name.split("::");
    return (
      wanted.length === parts.length &&
      wanted.every((part, index) => nearest(parts[index] ?? "", [part]) !== null)
    );
  };
  const similar = [...names].find(([name]) => isSimilar(name));
  return isRootEvent(event) || similar === undefined ? null : similar[1];
}

function isNamespaced(event: string): boolean {
  return event.length <= longestEvent && namespaced.test(event);
}

function expect(event: string, others: readonly RootEvent[]): string {
  const meant = others.length === 0 ? null : findMeantRootEvent(event);
  const isLong = event.length > longestEvent;
  const hint = isLong
    ? ` It has ${event.length} characters; at most ${longestEvent} are allowed.`
    : meant === null
      ? didYouMean(event, others)
      : ` Did you mean \`${meant}\`?`;
  const shown = event.length > 60 ? `${event.slice(0, 57)}…` : event;
  const or = others.length === 0 ? "" : `${others.map((name) => `\`${name}\``).join(", ")} or `;
  return `Expected ${or}a namespaced event, such as \`my-agent::end\`; got \`${shown}\`.${hint}`;
}
