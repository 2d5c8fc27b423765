import type { Clock } from "../../src/clock.ts";
import type { ReplyPart } from "../../src/model/model.ts";
import type { RunEventBody } from "../../src/run/event.ts";
import type { Usage } from "../../src/run/usage.ts";
import type { JsonValue } from "../../src/source/json.ts";
import { openTestRegistry } from "../fixtures/registry/test-registry.ts";
import { createResult, createSpec } from "../fixtures/run-spec.ts";

const topics = [
  "Review the authentication middleware for missing checks",
  "Find dead code in the billing module",
  "Write tests for the date parser",
  "Summarize last week’s incidents",
  "Upgrade the HTTP client and fix what breaks",
  "Profile the search endpoint",
  "Document the webhook payloads",
  "Translate the onboarding emails",
];
const agents = ["reviewer", "researcher", "test-writer", "planner", "fixer"];
const models = ["anthropic:claude-sonnet-5", "openai:gpt-5.5", "google:gemini-3-flash"];

/** A family to write. */
export interface BusyFamily {
  /** The id of the root, and the prefix of the ids of the other runs. */
  id: string;
  /** The number of runs. */
  runs: number;
  workspace: string;
  /** The task of the root. Default: `Prepare the release`. */
  title?: string;
  /** Whether the root is unfinished. Default false. */
  isOpen?: boolean;
  /** The start in epoch milliseconds. Default: an hour ago. */
  from?: number;
}

/**
 * Writes families of runs with steps, waits, retries, failures and costs into the registry at `path`, as the engine writes them. The
 * same options create the same runs.
 */
export async function writeFamilies(path: string, families: readonly BusyFamily[]): Promise<void> {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    schedule: () => () => undefined,
    scheduleIdly: () => () => undefined,
  };
  const registry = openTestRegistry({ path, clock });
  for (const family of families) {
    const { id: rootId, runs, workspace, title = "Prepare the release" } = family;
    const { from = Date.now() - 3_600_000, isOpen = false } = family;
    const write = (at: number, id: string, event: RunEventBody): void => {
      now = from + at;
      registry.append(id, event);
    };
    const specOf = (index: number): ReturnType<typeof createSpec> => {
      const parent = index === 0 ? null : Math.floor((index - 1) / 8);
      const id = idOf(rootId, index);
      return createSpec(id, {
        rootId,
        workspace,
        agent: index === 0 ? "main" : pick(agents, index),
        task: index === 0 ? title : `${pick(topics, index)} (part ${index})`,
        model: pick(models, index),
        ...(parent !== null && {
          parentId: idOf(rootId, parent),
          parentStep: `tool/1/${(index - 1) % 8}`,
          depth: parent === 0 ? 1 : 2,
          dependsOn: index % 4 === 3 ? [idOf(rootId, index - 1)] : [],
        }),
        ...(index === 0 && { budget: { usd: 50, tokens: 20_000_000 } }),
      });
    };
    const events: { at: number; id: string; event: RunEventBody }[] = [];
    let end = 0;
    for (let index = runs - 1; index >= 0; index -= 1) {
      const spec = specOf(index);
      const life = lifeOf(index, end);
      const written = isOpen && index === 0 ? life.slice(0, -1) : life;
      end = Math.max(end, written.at(-1)?.at ?? 0);
      events.push({ at: index * 5, id: spec.id, event: { type: "run-created", spec } });
      events.push(...written.map(({ at, event }) => ({ at, id: spec.id, event })));
    }
    // Each run keeps the order of its own events.
    for (const { at, id, event } of events.toSorted((one, other) => one.at - other.at)) {
      write(at, id, event);
    }
  }
  await registry.close();
}

function idOf(rootId: string, index: number): string {
  return index === 0 ? rootId : `${rootId}-${String(index).padStart(4, "0")}`;
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[(index * 7) % items.length] as Item;
}

/** Returns the events of a run after its creation. `end` is the last end of the runs created after it. */
function lifeOf(index: number, end: number): { at: number; event: RunEventBody }[] {
  let at = index * 5 + 200 + (index % 7) * 450;
  const events: { at: number; event: RunEventBody }[] = [];
  const add = (event: RunEventBody, pause: number): void => {
    events.push({ at, event });
    at += pause;
  };
  add({ type: "run-started", owner: "1" }, 900 + (index % 5) * 700);
  for (let turn = 1; turn <= 3; turn += 1) {
    const usage: Usage = {
      inputTokens: 1800 * turn + (index % 11) * 310,
      outputTokens: 240 + (index % 13) * 55,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    };
    if (index % 9 === 4 && turn === 2) {
      const reason = "the provider is overloaded";
      add({ type: "model-retried", key: `model/${turn}`, attempt: 1, delayMs: 1500, reason }, 2300);
    }
    const call: ReplyPart = {
      type: "tool-call",
      id: `c${turn}`,
      tool: "Grep",
      input: { pattern: "TODO" },
    };
    const text = turn === 3 ? "Nothing is left to do here." : "I look for what is left.";
    const parts: ReplyPart[] = [{ type: "text", text }, ...(turn < 3 ? [call] : [])];
    add(
      {
        type: "step-finished",
        key: `model/${turn}`,
        kind: "model",
        value: { parts, finish: turn < 3 ? "tool-calls" : "stop" } as unknown as JsonValue,
        usage,
        cost: 0.004 + (index % 17) * 0.0011,
        durationMs: 700 + (index % 5) * 450,
      },
      30,
    );
    if (turn === 3) break;
    const key = `tool/${turn}/0`;
    const took = 250 + (index % 6) * 420 + (index === 0 ? end : 0);
    add({ type: "step-started", key, title: "Grep TODO", hasEffect: false }, took);
    const value = { text: "src/app.ts:12: // TODO", isError: false };
    add(
      { type: "step-finished", key, kind: "tool", value, durationMs: took },
      700 + (index % 5) * 450,
    );
  }
  const failure = { code: "timed-out", message: "The agent did not finish within 300 s." } as const;
  const isFailed = index % 23 === 11;
  const result = createResult("", {
    ...(isFailed && { status: "timed-out" as const, failure }),
    text: isFailed ? "" : `Part ${index} is finished: nothing is left to do.`,
    durationMs: at,
  });
  add({ type: "run-finished", result }, 0);
  return events;
}
