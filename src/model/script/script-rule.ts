import { CadreError } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { ScriptConversation } from "./script-conversation.ts";
import type { Script, ScriptReply } from "./scripted-model.ts";

/** A condition on a text: a string that it contains, or a table of conditions that must all hold. */
export type TextCondition = string | { contains?: string; equals?: string; matches?: string };

/** The conditions of a rule, which must all hold. Without conditions a rule always matches. */
export interface ScriptWhen {
  /** The agent's name, as a word of the instructions. */
  agent?: string;
  system?: TextCondition;
  task?: TextCondition;
  last?: TextCondition;
  /** The text of all messages after the instructions. */
  conversation?: TextCondition;
  /** A tool with a result in the last message. */
  tool?: string;
  /** A tool that the model may call. */
  offered?: string;
  /** The number of replies so far. */
  turn?: number;
}

/** One rule of a script. */
export interface ScriptRule {
  /** Shown when no rule matches. */
  name?: string;
  when?: ScriptWhen;
  reply: ScriptReply;
}

/** The maximum length of text that patterns see, from the end, so that they stay fast on a large tool result. */
const matchedCharacters = 100_000;

/** The variables of every reply, in addition to the named groups of its rule's patterns. */
export const scriptVariables = ["last", "task", "turn", "tool"] as const;

/**
 * Creates a script that returns the reply of the first matching rule, with its variables replaced.
 * For a conversation without a matching rule, the script rejects with CadreError `model-error`, which shows the conversation's
 * end and why each rule did not match. `place` is the script's file or name.
 */
export function createScript(rules: readonly ScriptRule[], place: string): Script {
  const compiled = rules.map((rule) => ({ rule, conditions: conditionsOf(rule.when ?? {}) }));
  return (conversation) => {
    const reasons: string[] = [];
    for (const [index, { rule, conditions }] of compiled.entries()) {
      const captured: Record<string, string> = variablesOf(conversation);
      const failed = conditions.find((condition) => !condition.holds(conversation, captured));
      if (failed === undefined) return fill(rule.reply, captured);
      reasons.push(`${rule.name ?? `rule ${index + 1}`}: ${failed.mismatch}`);
    }
    throw noMatch(conversation, reasons, place);
  };
}

/** Returns the variables that a reply uses. */
export function variablesIn(reply: ScriptReply): string[] {
  return [...JSON.stringify(reply).matchAll(placeholder)].map((match) => match[1] ?? "");
}

/** Returns the named groups of a condition's pattern. Throws a SyntaxError for an invalid pattern. */
export function groupsOf(condition: TextCondition | undefined): string[] {
  if (typeof condition !== "object" || condition.matches === undefined) return [];
  const pattern = patternOf(condition.matches);
  // A pattern with an empty alternative matches anything, and its match lists every group.
  return Object.keys(new RegExp(`${pattern.source}|`, pattern.flags).exec("")?.groups ?? {});
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

interface Condition {
  /** The reason shown when the condition fails. */
  mismatch: string;
  holds(conversation: ScriptConversation, captured: Record<string, string>): boolean;
}

function conditionsOf(when: ScriptWhen): Condition[] {
  const texts = (["system", "task", "last", "conversation"] as const).flatMap((field) => {
    const condition = when[field];
    const key = field === "conversation" ? "text" : field;
    return condition === undefined ? [] : textCondition(field, key, condition);
  });
  return [
    ...(when.turn === undefined ? [] : [turnCondition(when.turn)]),
    ...(when.agent === undefined ? [] : [agentCondition(when.agent)]),
    ...(when.tool === undefined ? [] : [listCondition("tool", "tools", when.tool)]),
    ...(when.offered === undefined ? [] : [listCondition("offered", "offered", when.offered)]),
    ...texts,
  ];
}

function turnCondition(turn: number): Condition {
  return { mismatch: `turn is not ${turn}`, holds: (conversation) => conversation.turn === turn };
}

function agentCondition(agent: string): Condition {
  const wanted = agent.toLowerCase();
  return {
    mismatch: `the instructions do not name the agent ${agent}`,
    holds: ({ system }) =>
      system
        .toLowerCase()
        .split(/[^\w-]+/)
        .includes(wanted),
  };
}

function listCondition(field: string, key: "tools" | "offered", name: string): Condition {
  return {
    mismatch: `${field} is not ${name}`,
    holds: (conversation) => conversation[key].includes(name),
  };
}

function textCondition(
  field: string,
  key: "system" | "task" | "last" | "text",
  condition: TextCondition,
): Condition {
  const { contains, equals, matches } =
    typeof condition === "string" ? { contains: condition } : condition;
  const pattern = matches === undefined ? null : patternOf(matches);
  return {
    mismatch: `${field} does not match ${JSON.stringify(condition)}`,
    holds(conversation, captured) {
      const text = conversation[key];
      if (contains !== undefined && !text.includes(contains)) return false;
      if (equals !== undefined && text.trim() !== equals.trim()) return false;
      if (pattern === null) return true;
      const match = pattern.exec(text.slice(-matchedCharacters));
      if (match === null) return false;
      for (const [name, value] of Object.entries(match.groups ?? {})) captured[name] = value ?? "";
      return true;
    },
  };
}

/** Texts have many lines, so `^` and `$` match at line breaks and a dot matches line breaks. */
function patternOf(source: string): RegExp {
  return new RegExp(source, "ms");
}

function variablesOf(conversation: ScriptConversation): Record<string, string> {
  const { last, task, turn, tools } = conversation;
  return { last, task, turn: String(turn), tool: tools[0] ?? "" };
}

/** Replaces variables in one pass, so that inserted text is never expanded. */
function fill(reply: ScriptReply, captured: Readonly<Record<string, string>>): ScriptReply {
  const { text, reasoning, calls } = reply;
  return {
    ...reply,
    ...(text !== undefined && { text: fillText(text, captured) }),
    ...(reasoning !== undefined && { reasoning: fillText(reasoning, captured) }),
    ...(calls !== undefined && {
      calls: calls.map(({ tool, input }) => ({
        tool,
        input: fillArguments(input, captured),
      })),
    }),
  };
}

function fillArguments(
  input: Readonly<Record<string, JsonValue | undefined>>,
  captured: Readonly<Record<string, string>>,
): JsonObject {
  const given = Object.entries(input).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, fillValue(value, captured)]],
  );
  return Object.fromEntries(given) as JsonObject;
}

function fillValue(value: JsonValue, captured: Readonly<Record<string, string>>): JsonValue {
  if (typeof value === "string") return fillText(value, captured);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, captured));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillValue(item, captured)]),
  );
}

function fillText(text: string, captured: Readonly<Record<string, string>>): string {
  return text.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(captured, name) ? (captured[name] ?? "") : whole,
  );
}

function noMatch(
  { turn, last }: ScriptConversation,
  reasons: readonly string[],
  place: string,
): CadreError {
  const tried = reasons.map((reason) => `\n- ${reason}`).join("");
  return new CadreError(
    "model-error",
    `No rule of ${place} matches turn ${turn} of this conversation, which ends with ${JSON.stringify(last.slice(-500))}. ` +
      `Add a rule, or change one of these:${tried}`,
    { details: { kind: "no-reply", turn } },
  );
}
