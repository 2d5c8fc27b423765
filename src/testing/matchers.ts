/** Matchers for `expect` of vitest, and of test runners with the same `expect.extend`. */

import type { FailureCode } from "../run/failure.ts";
import type { RunResult } from "../run/result.ts";
import {
  type DelegatedTask,
  readCalls,
  readDelegations,
  readEnd,
  type ToolCall,
} from "./run-facts.ts";

/** The matchers of `expect(run)`. Each waits for the end of the run, so it must be awaited. */
export interface CadreMatchers {
  /**
   * The run started a run of `agent`. `task` is a text that the child's task contains, a pattern, or an asymmetric matcher. Only
   * children count, not further descendants.
   */
  toHaveDelegatedTo(agent: string, expected?: { task?: unknown }): Promise<void>;
  /** The run called `tool`. `input` is matched as by `toMatchObject`. Calls of the run's children do not count. */
  toHaveCalled(tool: string, input?: unknown): Promise<void>;
  /** The run and its descendants stayed within these limits. An unknown cost exceeds every limit. */
  toHaveSpentAtMost(limits: SpendingLimits): Promise<void>;
  /** The run succeeded. */
  toHaveSucceeded(): Promise<void>;
  /** The run did not succeed, for the reason `code`. */
  toHaveFailedWith(code: FailureCode): Promise<void>;
}

/** Limits of a run together with its descendants. */
export interface SpendingLimits {
  /** US dollars. */
  usd?: number;
  /** Input and output tokens. */
  tokens?: number;
  /** Model replies. */
  turns?: number;
}

/** The parts of a matcher's `this` that the matchers use. */
export interface MatcherContext {
  equals(left: unknown, right: unknown, testers?: never[]): boolean;
  utils: { subsetEquality: unknown };
}

/** Whether a matcher passes, and its message. */
export interface MatcherOutcome {
  pass: boolean;
  message: () => string;
}

/** The matchers as functions. The received value is the first argument. */
export type MatcherFunctions = {
  [Name in keyof CadreMatchers]: (
    this: MatcherContext,
    received: unknown,
    ...expected: Parameters<CadreMatchers[Name]>
  ) => Promise<MatcherOutcome>;
};

/** The matchers, for `expect.extend(cadreMatchers)`. `cadre/testing/vitest` calls that and adds the types. */
export const cadreMatchers: MatcherFunctions = {
  async toHaveDelegatedTo(received, agent, { task } = {}) {
    const children = await readDelegations(received, "toHaveDelegatedTo");
    const pass = children.some((one) => one.agent === agent && fits(this, one.task, task));
    const wanted = task === undefined ? agent : `${agent} with the task ${show(task)}`;
    return decide(pass, `delegate to ${wanted}`, listDelegations(children));
  },
  async toHaveCalled(received, tool, input) {
    const calls = await readCalls(received, "toHaveCalled");
    const pass = calls.some((call) => call.tool === tool && contains(this, call.input, input));
    const wanted = input === undefined ? tool : `${tool} with ${show(input)}`;
    return decide(pass, `call ${wanted}`, listCalls(calls));
  },
  async toHaveSpentAtMost(received, limits) {
    const result = await readEnd(received, "toHaveSpentAtMost");
    const spent = spentOf(result);
    const exceeded = checkLimits(limits).filter(([key, limit]) => spent[key] > limit);
    const wanted = Object.entries(limits).map(([key, limit]) => `${limit} ${key}`);
    const pass = exceeded.length === 0;
    const usd = result.cost === null ? "an unknown number of" : spent.usd;
    const message = `It spent ${usd} usd, ${spent.tokens} tokens, ${spent.turns} turns, with its descendants.`;
    return decide(pass, `spend at most ${wanted.join(", ")}`, message);
  },
  async toHaveSucceeded(received) {
    const result = await readEnd(received, "toHaveSucceeded");
    return decide(result.status === "succeeded", "succeed", describeEnd(result));
  },
  async toHaveFailedWith(received, code) {
    const result = await readEnd(received, "toHaveFailedWith");
    return decide(result.failure?.code === code, `fail with ${code}`, describeEnd(result));
  },
};

function decide(pass: boolean, wanted: string, happened: string): MatcherOutcome {
  const message = (): string => `Expected the run ${pass ? "not " : ""}to ${wanted}. ${happened}`;
  return { pass, message };
}

function fits(context: MatcherContext, text: string, expected: unknown): boolean {
  if (expected === undefined) return true;
  if (typeof expected === "string") return text.includes(expected);
  return expected instanceof RegExp ? expected.test(text) : context.equals(text, expected);
}

function contains({ equals, utils }: MatcherContext, input: unknown, expected: unknown): boolean {
  // The two packages declare different types of testers.
  return expected === undefined || equals(input, expected, [utils.subsetEquality as never]);
}

type Limit = keyof SpendingLimits;
const limitNames: readonly Limit[] = ["usd", "tokens", "turns"];

/** Checks the names of limits, because a misspelt limit would never be exceeded. */
function checkLimits(limits: SpendingLimits): [Limit, number][] {
  const entries = Object.entries(limits);
  const wrong = entries.filter(
    ([key, limit]) => !limitNames.some((name) => name === key) || typeof limit !== "number",
  );
  if (wrong.length === 0 && entries.length > 0) return entries as [Limit, number][];
  throw new TypeError(
    `toHaveSpentAtMost expects numbers for ${limitNames.join(", ")}, got ${show(limits)}.`,
  );
}

function spentOf({ cost, usage, turns }: RunResult): Record<Limit, number> {
  return { usd: cost ?? Infinity, tokens: usage.inputTokens + usage.outputTokens, turns };
}

function listDelegations(children: readonly DelegatedTask[]): string {
  if (children.length === 0) return "It delegated nothing.";
  const lines = children.map(({ agent, task }) => `\n- ${agent}: ${show(task)}`);
  return `It delegated to:${lines.join("")}`;
}

function listCalls(calls: readonly ToolCall[]): string {
  if (calls.length === 0) return "It called no tool.";
  return `It called:${calls.map(({ tool, input }) => `\n- ${tool} ${show(input)}`).join("")}`;
}

function describeEnd({ status, failure, text }: RunResult): string {
  if (failure === undefined) return `It succeeded with the text ${show(text)}.`;
  return `It ended as ${status} with ${failure.code}: ${failure.message}`;
}

/** The maximum length of a value in a message, in characters. */
const longest = 300;

function show(value: unknown): string {
  const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > longest ? `${text.slice(0, longest)} … (${text.length} characters)` : text;
}
