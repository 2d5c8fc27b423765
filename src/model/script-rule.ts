import { CadreError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import type { ScriptConversation } from "./script-conversation.ts";
import type { Script, ScriptReply } from "./scripted-model.ts";

/** What a text must be: contain a string, or every condition of the table. */
export type TextCondition = string | { contains?: string; equals?: string; matches?: string };

/** When a reply is given: every condition holds. None at all = always. */
export interface ScriptWhen {
  /** The agent's name, as a word of the instructions. */
  agent?: string;
  system?: TextCondition;
  task?: TextCondition;
  last?: TextCondition;
  /** Anything said so far, the instructions apart. */
  conversation?: TextCondition;
  /** A tool whose result the last message holds. */
  tool?: string;
  /** A tool the model may call. */
  offered?: string;
  /** How often the model has replied. */
  turn?: number;
}

/** One rule of a script. */
export interface ScriptRule {
  /** For people; shown when nothing matches. */
  name?: string;
  when?: ScriptWhen;
  reply: ScriptReply;
}

/** Longer texts are matched by their end, so that no pattern takes forever on a large tool result. */
const matchedCharacters = 100_000;

/** The names every reply may use between `{{` and `}}`, beside the named groups of its rule's patterns. */
export const scriptVariables = ["last", "task", "turn", "tool"] as const;

/**
 * A script that gives the reply of the first rule that matches, with what it captured filled in, literally.
 *
 * A conversation that no rule matches rejects with CadreError `model-error`, which shows its end and why each rule
 * did not match. `place` is the script's file or name.
 */
export function createScript(rules: readonly ScriptRule[], place: string): Script {
  const compiled = rules.map((rule) => ({ rule, conditions: conditionsOf(rule.when ?? {}) }));
  return (conversation) => {
    const reasons: string[] = [];
    for (const [index, { rule, conditions }] of compiled.entries()) {
      const captured: Record<string, string> = variablesOf(conversation);
      const failed = conditions.find((condition) => !condition.holds(conversation, captured));
      if (failed === undefined) return fill(rule.reply, captured);
      reasons.push(`${rule.name ?? `rule ${index + 1}`}: ${failed.said}`);
    }
    throw noMatch(conversation, reasons, place);
  };
}

/** The names in `{{…}}` that a reply uses. */
export function variablesIn(reply: ScriptReply): string[] {
  return [...JSON.stringify(reply).matchAll(placeholder)].map((match) => match[1] ?? "");
}

/** The named groups of a rule's patterns. Throws a SyntaxError for a pattern that is none. */
export function groupsOf(condition: TextCondition | undefined): string[] {
  if (typeof condition !== "object" || condition.matches === undefined) return [];
  const pattern = patternOf(condition.matches);
  // A pattern with an empty alternative matches anything, and its match lists every group.
  return Object.keys(new RegExp(`${pattern.source}|`, pattern.flags).exec("")?.groups ?? {});
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

interface Condition {
  /** What is expected, for the message. */
  said: string;
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
  return { said: `turn is not ${turn}`, holds: (conversation) => conversation.turn === turn };
}

function agentCondition(agent: string): Condition {
  const wanted = agent.toLowerCase();
  return {
    said: `the instructions do not name the agent ${agent}`,
    holds: ({ system }) =>
      system
        .toLowerCase()
        .split(/[^\w-]+/)
        .includes(wanted),
  };
}

function listCondition(field: string, key: "tools" | "offered", name: string): Condition {
  return {
    said: `${field} is not ${name}`,
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
    said: `${field} is not as in ${JSON.stringify(condition)}`,
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

/** `^` and `$` mean lines, and a dot means anything: what is matched is text of many lines. */
function patternOf(source: string): RegExp {
  return new RegExp(source, "ms");
}

function variablesOf(conversation: ScriptConversation): Record<string, string> {
  const { last, task, turn, tools } = conversation;
  return { last, task, turn: String(turn), tool: tools[0] ?? "" };
}

/** One pass over the script's own text: what is filled in is never looked at again. */
function fill(reply: ScriptReply, captured: Readonly<Record<string, string>>): ScriptReply {
  const { text, reasoning, calls } = reply;
  return {
    ...reply,
    ...(text !== undefined && { text: fillText(text, captured) }),
    ...(reasoning !== undefined && { reasoning: fillText(reasoning, captured) }),
    ...(calls !== undefined && {
      calls: calls.map(({ tool, input }) => ({
        tool,
        input: fillValue(input, captured) as JsonObject,
      })),
    }),
  };
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
