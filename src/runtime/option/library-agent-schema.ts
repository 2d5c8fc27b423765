import { z } from "zod";
import { isAgentName } from "../../agent/common-fields.ts";
import { parseRunner } from "../../agent/runner.ts";
import { extensionSetting } from "../../config/extension-setting.ts";
import { budgetSchema } from "../../run/budget.ts";
import { describeRuleProblem } from "../../run/permission-rule.ts";
import { permissionModes } from "../../run/permission.ts";
import { toolNames } from "../../run/tool-names.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import { callback, count, field, flag, listOf, number, oneOf, text } from "./field.ts";

/** A check whose message depends on the value; `null` = nothing is wrong. */
function checked(problemOf: (value: unknown) => string | null): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
}

const tool = checked((value) => {
  if (typeof value !== "string") return "expected the name of a tool";
  if (value.endsWith("*") || value.startsWith("mcp__")) return null;
  if (toolNames.some((name) => name === value)) return null;
  const limit = value.includes("(") ? " To limit a tool, write a rule into `permissions`." : "";
  return `there is no tool ${JSON.stringify(value)}.${didYouMean(value, toolNames)}${limit}`;
});

const rule = checked((value) =>
  typeof value === "string" ? describeRuleProblem(value) : "expected a rule such as `Bash(git *)`",
);

const runner = checked((value) => {
  if (typeof value !== "string") return "expected `acp:COMMAND args…`";
  const parsed = parseRunner(value);
  return "problem" in parsed ? `expected \`acp:COMMAND args…\`: ${parsed.problem}` : null;
});

/** The name of a configured extension, or one that the agent brings along. */
const extension = z.unknown().superRefine((value, context) => {
  if (typeof value === "string") return;
  const { name, ...setting }: Record<string, unknown> = isRecord(value) ? value : {};
  if (typeof name !== "string" || name === "") {
    const message = "expected the name of an extension, or an extension with a `name`";
    context.addIssue({ code: "custom", message });
    return;
  }
  for (const { path, message } of extensionSetting.safeParse(setting).error?.issues ?? []) {
    context.addIssue({ code: "custom", path: [...path], message });
  }
});

const rules = listOf(rule, "rules such as `Bash(git *)`");
const decisions = ["allow", "ask", "deny"];

const permissions = closedObject({
  allow: rules,
  ask: rules,
  deny: rules,
  ordered: listOf(closedObject({ decision: oneOf(decisions), rule }), "decisions").optional(),
});

const check = closedObject({ type: oneOf(["shell"]), command: text });
const seconds = number("a number of seconds of more than 0", Number.MIN_VALUE);

const retry = closedObject({
  maxRetries: count(1),
  checks: listOf(check, 'checks such as `{ type: "shell", command: "npm test" }`'),
  onFailure: text.optional(),
  timeoutSeconds: seconds.optional(),
  onFailureTimeoutSeconds: seconds.optional(),
});

const tools = listOf(tool, 'tool names such as `["Read"]`');
const names = listOf(text, "names");
const jsonSchema = field("a JSON Schema", isRecord);

/** Checks an agent that is given in code: every field that `LibraryAgent` has, and no other. */
export const libraryAgentSchema: z.ZodType = closedObject({
  name: field(
    "1 to 64 of a-z, 0-9 and single hyphens",
    (value) => typeof value === "string" && isAgentName(value),
  ),
  description: text,
  systemPrompt: field("text", (value) => typeof value === "string").optional(),
  run: callback.optional(),
  model: text.optional(),
  temperature: number("a number from 0 to 2", 0, 2).optional(),
  effort: oneOf(["low", "medium", "high"]).optional(),
  maxTurns: count(1).optional(),
  timeoutSeconds: seconds.optional(),
  runner: runner.optional(),
  tools: tools.optional(),
  disallowedTools: tools.optional(),
  agents: names.optional(),
  extensions: listOf(extension, "extensions").optional(),
  skills: names.optional(),
  permissionMode: oneOf(permissionModes).optional(),
  permissions: permissions.optional(),
  isolation: oneOf(["worktree"]).optional(),
  background: flag.optional(),
  maxDepth: count(0).optional(),
  budget: budgetSchema.optional(),
  inputSchema: jsonSchema.optional(),
  outputSchema: jsonSchema.optional(),
  retry: retry.optional(),
  cache: flag.optional(),
  disabled: flag.optional(),
}).superRefine(({ systemPrompt, run }, context) => {
  if ((systemPrompt === undefined) !== (run === undefined)) return;
  const message = `expected \`systemPrompt\` or a function \`run\`, got ${run === undefined ? "neither" : "both"}`;
  context.addIssue({ code: "custom", message });
});
