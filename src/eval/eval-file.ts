// Evals: cases that measure whether an agent chooses the right sub-agents and gives them the right tasks.

import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";
import { isRecord, type JsonObject } from "../source/json.ts";
import { checkSchema } from "../source/schema/json-schema.ts";
import { explainIssue } from "../source/explain-issue.ts";

/** A pattern for a text. Each given part must match. */
export interface TextPattern {
  /** A text, or several texts, that must all occur. Case-sensitive. */
  contains?: string | readonly string[];
  /** A regular expression. */
  matches?: string;
}

/** An expected or forbidden agent, with a pattern for the task that it receives. */
export interface AgentPattern {
  agent: string;
  task?: TextPattern;
}

/** Limits of a trial, including its descendants. */
export interface EvalLimits {
  usd?: number;
  tokens?: number;
  turns?: number;
  seconds?: number;
}

/** A check of a finished trial: a command that exits with 0, or a criterion for a judging model. */
export type EvalCheck =
  | { command: string; timeoutSeconds?: number }
  | { judge: string; model?: string };

/** The expected behaviour of a trial. */
export interface EvalExpectation {
  /** `none`: the trial must not delegate. */
  agents?: "none" | readonly (string | AgentPattern)[];
  tools?: readonly string[];
  /** The JSON Schema of the output, or of the text as JSON. */
  schema?: JsonObject;
  output?: TextPattern;
  max?: EvalLimits;
}

/** Settings for all cases of a file. A case may override them. */
export interface EvalDefaults {
  /** The agent or recipe under test. Default `main`. */
  agent?: string;
  models?: readonly string[];
  /** `stop`: sub-agents are not executed; each delegation gets a fixed result. Default `run`. */
  delegation?: "run" | "stop";
  /** The number of trials of each case with each model. Default 1. */
  repeat?: number;
  /** The share of trials that must pass, from 0 to 1. Default 1. */
  pass?: number;
  timeoutSeconds?: number;
  judgeModel?: string;
}

/** One case. */
export interface EvalCase extends EvalDefaults {
  name: string;
  task: string;
  expect?: EvalExpectation;
  forbid?: { agents?: readonly (string | AgentPattern)[]; tools?: readonly string[] };
  /** The results of stopped delegations, by agent. */
  results?: Readonly<Record<string, string>>;
  checks?: readonly EvalCheck[];
  /** Files in the temporary workspace, by path. */
  files?: Readonly<Record<string, string>>;
  /** A folder to copy into the temporary workspace, relative to the file. */
  workspace?: string;
}

/** A case as executed: defaults filled in, paths absolute. */
export interface LoadedCase extends EvalCase {
  /** The file that defines the case, absolute. */
  path: string;
  agent: string;
  delegation: "run" | "stop";
  repeat: number;
  pass: number;
}

const text = z.string().min(1);
const texts = z.union([text, z.array(text).min(1)], "a text or a list of texts is expected");
const pattern = closedObject({
  contains: texts.optional(),
  matches: text.refine(isPattern, "a regular expression is expected").optional(),
}).refine((value) => Object.keys(value).length > 0, "`contains` or `matches` is expected");
const agentPattern = z
  .custom<string | JsonObject>(
    (value) => (typeof value === "string" && value !== "") || isRecord(value),
    "the name of an agent is expected, or { agent, task: { contains, matches } }",
  )
  .pipe(z.any().superRefine(checkAgentPattern));
const objectPattern = closedObject({ agent: text, task: pattern.optional() });
const agents = z.array(agentPattern);

const defaults = {
  agent: text.optional(),
  models: z.array(text).min(1).optional(),
  delegation: z.enum(["run", "stop"]).optional(),
  repeat: z.int().min(1).max(1000).optional(),
  pass: z.number().min(0).max(1).optional(),
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  judgeModel: text.optional(),
};

const limit = z.number().positive().optional();
const schema = z
  .custom<JsonObject>(isRecord, "a JSON Schema is expected")
  .superRefine((value, context) => {
    const problem = checkSchema(value);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

const commandCheck = closedObject({
  command: text,
  timeoutSeconds: z.number().positive().max(86_400).optional(),
});
const judgeCheck = closedObject({ judge: text, model: text.optional() });

const caseSchema = closedObject({
  ...defaults,
  name: text.max(60).regex(/^[^\p{Cc}\u2028\u2029]+$/u, "a name on one line is expected"),
  task: text,
  expect: closedObject({
    agents: z.any().superRefine(checkAgents).optional(),
    tools: z.array(text).optional(),
    schema: schema.optional(),
    output: pattern.optional(),
    max: closedObject({ usd: limit, tokens: limit, turns: limit, seconds: limit }).optional(),
  }).optional(),
  forbid: closedObject({ agents: agents.optional(), tools: z.array(text).optional() }).optional(),
  results: z.record(z.string(), z.string()).optional(),
  checks: z.array(z.any().superRefine(checkCheck)).optional(),
  files: z.record(z.string(), z.string()).optional(),
  workspace: text.optional(),
});

/** Validates the top level of an eval file. {@link evalCaseSchema} validates each case separately. */
export const evalFileSchema: z.ZodType = closedObject({
  ...defaults,
  cases: z.array(z.any()).min(1),
});

/** Validates a case as written. */
export const evalCaseSchema: z.ZodType = caseSchema;

type Context = z.core.$RefinementCtx;

/** Unions report only that nothing matches. The intended schema reports the field. */
function report(context: Context, checked: z.ZodSafeParseResult<unknown>): void {
  for (const { path, message } of checked.error?.issues ?? [])
    context.addIssue({ code: "custom", path, message });
}

function checkAgentPattern(value: unknown, context: Context): void {
  if (isRecord(value)) report(context, objectPattern.safeParse(value, { error: explainIssue }));
}

function checkAgents(value: unknown, context: Context): void {
  if (value === "none" || value === undefined) return;
  if (Array.isArray(value))
    return report(context, agents.safeParse(value, { error: explainIssue }));
  context.addIssue({ code: "custom", message: "a list of agents is expected, or `none`" });
}

function checkCheck(value: unknown, context: Context): void {
  if (!isRecord(value) || "command" in value === "judge" in value) {
    const message = "a check with `command` or with `judge` is expected";
    return context.addIssue({ code: "custom", message });
  }
  report(
    context,
    ("judge" in value ? judgeCheck : commandCheck).safeParse(value, { error: explainIssue }),
  );
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
