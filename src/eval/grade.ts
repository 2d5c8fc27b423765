import type { FailureCode } from "../run/failure.ts";
import type { TerminalStatus } from "../run/result.ts";
import { isRecord } from "../source/json.ts";
import { compileSchema } from "../source/schema/json-schema.ts";
import type { AgentPattern, EvalLimits, LoadedCase, TextPattern } from "./eval-file.ts";

/** A delegation that a trial made. */
export interface MadeDelegation {
  agent: string;
  task: string;
}

/** The actions of a trial, read from its journal. Plain JSON. */
export interface TrialRecord {
  runId: string;
  status: TerminalStatus;
  text: string;
  output?: unknown;
  failure?: { code: FailureCode; message: string };
  /** Its direct delegations, in order. */
  delegations: readonly MadeDelegation[];
  /** The names of the called tools, in order. */
  tools: readonly string[];
  /** The cost in US dollars; `null` when a price is unknown. */
  cost: number | null;
  tokens: number;
  turns: number;
  durationMs: number;
}

/** Returns a sentence for each expectation of the case that the trial does not meet. */
export function gradeTrial(one: LoadedCase, trial: TrialRecord): string[] {
  const { expect = {}, forbid = {} } = one;
  const answer = trial.output === undefined ? trial.text : JSON.stringify(trial.output);
  return [
    ...(trial.failure === undefined
      ? []
      : [`The run ended as ${trial.status} (${trial.failure.code}): ${trial.failure.message}`]),
    ...gradeAgents(one, trial),
    ...(forbid.agents ?? []).flatMap((entry) => {
      const wanted = toPattern(entry);
      const made = trial.delegations.find((call) => isMatch(wanted, call));
      return made === undefined ? [] : [`Expected no delegation to ${describe(wanted)}.`];
    }),
    ...(expect.tools ?? [])
      .filter((tool) => !trial.tools.includes(tool))
      .map((tool) => `Expected a call of ${tool}; called: ${listOf(trial.tools)}.`),
    ...(forbid.tools ?? [])
      .filter((tool) => trial.tools.includes(tool))
      .map((tool) => `Expected no call of ${tool}.`),
    ...(expect.output === undefined ? [] : gradeText("the output", expect.output, answer)),
    ...(expect.schema === undefined ? [] : gradeSchema(expect.schema, trial)),
    ...gradeLimits(expect.max ?? {}, trial),
  ];
}

/** Returns the agents that a case expects; `undefined` when it does not mention agents. */
export function expectedAgents({ expect }: LoadedCase): AgentPattern[] | undefined {
  if (expect?.agents === undefined) return undefined;
  return expect.agents === "none" ? [] : expect.agents.map(toPattern);
}

function gradeAgents(one: LoadedCase, { delegations }: TrialRecord): string[] {
  const expected = expectedAgents(one);
  const made = listOf(delegations.map(({ agent }) => agent));
  if (expected?.length === 0 && delegations.length > 0) {
    return [`Expected no delegation; delegated to: ${made}.`];
  }
  return (expected ?? [])
    .filter((wanted) => !delegations.some((call) => isMatch(wanted, call)))
    .map((wanted) => {
      const given = delegations.filter(({ agent }) => agent === wanted.agent);
      const tasks = given.map(({ task }) => JSON.stringify(task)).join(", ");
      const came = given.length > 0 ? `its tasks: ${tasks}` : `delegated to: ${made}`;
      return `Expected a delegation to ${describe(wanted)}; ${came}.`;
    });
}

function toPattern(entry: string | AgentPattern): AgentPattern {
  return typeof entry === "string" ? { agent: entry } : entry;
}

function isMatch({ agent, task }: AgentPattern, call: MadeDelegation): boolean {
  return (
    agent === call.agent && (task === undefined || gradeText("", task, call.task).length === 0)
  );
}

function describe({ agent, task }: AgentPattern): string {
  return task === undefined ? agent : `${agent} with a task that matches ${JSON.stringify(task)}`;
}

function gradeText(what: string, { contains = [], matches }: TextPattern, text: string): string[] {
  const missing = [contains].flat().filter((part) => !text.includes(part));
  const isOther = matches !== undefined && !new RegExp(matches, "u").test(text);
  return [
    ...missing.map((part) => `Expected ${what} to contain ${JSON.stringify(part)}.`),
    ...(isOther ? [`Expected ${what} to match /${matches}/.`] : []),
  ];
}

function gradeSchema(schema: object, { text, output }: TrialRecord): string[] {
  const compiled = compileSchema(schema);
  if ("problem" in compiled) return [compiled.problem];
  const value = output ?? readJson(text);
  if (value === undefined) return ["Expected JSON that matches the schema; the text is not JSON."];
  return compiled
    .check(value)
    .map((problem) => `The output does not match the schema: ${problem}.`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function gradeLimits({ usd, tokens, turns, seconds }: EvalLimits, trial: TrialRecord): string[] {
  const over = (name: string, most: number | undefined, used: number): string[] =>
    most === undefined || used <= most ? [] : [`Expected at most ${most} ${name}; used ${used}.`];
  if (usd !== undefined && trial.cost === null) {
    return [`Expected at most ${usd} US dollars; the cost is unknown, because a price is missing.`];
  }
  return [
    ...over("US dollars", usd, trial.cost ?? 0),
    ...over("tokens", tokens, trial.tokens),
    ...over("turns", turns, trial.turns),
    ...over("seconds", seconds, trial.durationMs / 1000),
  ];
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "none" : [...new Set(names)].join(", ");
}

/** The answer of a judge. */
export interface Verdict {
  pass: boolean;
  reason: string;
}

/** Returns the verdict in the output of a judge, or `undefined` for anything else. */
export function readVerdict(output: unknown): Verdict | undefined {
  if (!isRecord(output)) return undefined;
  const { pass, reason } = output as { pass?: unknown; reason?: unknown };
  return typeof pass === "boolean" && typeof reason === "string" ? { pass, reason } : undefined;
}
