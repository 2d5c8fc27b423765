import { z } from "zod";
import { agentColors } from "../../agent/definition/agent.ts";
import { isAgentName } from "../../agent/fields/common-fields.ts";
import { parseRunner } from "../../agent/fields/runner.ts";
import { extensionSetting } from "../../config/extension-setting.ts";
import { budgetSchema } from "../../run/limit/limit-schema.ts";
import { describeRuleProblem } from "../../run/permission-rule.ts";
import { permissionModes } from "../../run/permission.ts";
import { toolNames } from "../../run/tool-names.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import { fallbacksField, modelField } from "./model-field.ts";
import {
  callback,
  checked,
  count,
  field,
  flag,
  listField,
  number,
  oneOf,
  nonEmptyText,
} from "./field.ts";
import { agentHooks } from "./hooks-field.ts";

/** The name of a tool: a built-in one, or one of `ownTools`. */
function toolName(ownTools: readonly string[]): z.ZodType {
  const known = [...toolNames, ...ownTools];
  return checked((value) => {
    if (typeof value !== "string") return "expected the name of a tool";
    if (value.endsWith("*") || value.startsWith("mcp__")) return null;
    if (known.some((name) => name === value)) return null;
    const limit = value.includes("(") ? " To limit a tool, write a rule into `permissions`." : "";
    return `there is no tool ${JSON.stringify(value)}.${didYouMean(value, known)}${limit}`;
  });
}

const runner = checked((value) => {
  if (typeof value !== "string") return "expected `acp:COMMAND args…`";
  const parsed = parseRunner(value);
  return "problem" in parsed ? `expected \`acp:COMMAND args…\`: ${parsed.problem}` : null;
});

/** The name of a configured extension, or the agent's own definition of one. */
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

const decisions = ["allow", "ask", "deny"];

function permissions(ownTools: readonly string[]): z.ZodType {
  const rule = checked((value) =>
    typeof value === "string"
      ? describeRuleProblem(value, ownTools)
      : "expected a rule such as `Bash(git *)`",
  );
  const rules = listField(rule, "rules such as `Bash(git *)`");
  return closedObject({
    allow: rules,
    ask: rules,
    deny: rules,
    ordered: listField(closedObject({ decision: oneOf(decisions), rule }), "decisions").optional(),
  });
}

const check = closedObject({ type: oneOf(["shell"]), command: nonEmptyText });
const seconds = number("a number of seconds of more than 0", Number.MIN_VALUE);

const retry = closedObject({
  maxRetries: count(1),
  checks: listField(check, 'checks such as `{ type: "shell", command: "npm test" }`'),
  onFailure: nonEmptyText.optional(),
  timeoutSeconds: seconds.optional(),
  onFailureTimeoutSeconds: seconds.optional(),
});

const names = listField(nonEmptyText, "names");
const jsonSchema = field("a JSON Schema", isRecord);

const fields = {
  name: field(
    "1 to 64 of a-z, 0-9 and single hyphens",
    (value) => typeof value === "string" && isAgentName(value),
  ),
  description: nonEmptyText,
  systemPrompt: field("text", (value) => typeof value === "string").optional(),
  run: callback.optional(),
  model: modelField.optional(),
  fallbacks: fallbacksField.optional(),
  temperature: number("a number from 0 to 2", 0, 2).optional(),
  effort: oneOf(["low", "medium", "high"]).optional(),
  maxTurns: count(1).optional(),
  timeoutSeconds: seconds.optional(),
  runner: runner.optional(),
  agents: names.optional(),
  extensions: listField(extension, "extensions").optional(),
  skills: names.optional(),
  instructions: flag.optional(),
  memory: oneOf(["user", "project", "local"]).optional(),
  initialPrompt: nonEmptyText.optional(),
  color: oneOf(agentColors).optional(),
  permissionMode: oneOf(permissionModes).optional(),
  isolation: oneOf(["worktree"]).optional(),
  background: flag.optional(),
  maxDepth: count(0).optional(),
  budget: budgetSchema.optional(),
  inputSchema: jsonSchema.optional(),
  outputSchema: jsonSchema.optional(),
  retry: retry.optional(),
  hooks: agentHooks.optional(),
  cache: flag.optional(),
  disabled: flag.optional(),
};

/**
 * Creates the schema of an agent given in code: every field of `LibraryAgent`, and no other. `ownTools` are the program's own
 * tools, which it may name.
 */
export function createLibraryAgentSchema(ownTools: readonly string[]): z.ZodType {
  const tools = listField(toolName(ownTools), 'tool names such as `["Read"]`').optional();
  return closedObject({
    ...fields,
    tools,
    disallowedTools: tools,
    permissions: permissions(ownTools).optional(),
  }).superRefine(({ systemPrompt, run }, context) => {
    if ((systemPrompt === undefined) !== (run === undefined)) return;
    const message = `expected \`systemPrompt\` or a function \`run\`, got ${run === undefined ? "neither" : "both"}`;
    context.addIssue({ code: "custom", message });
  });
}
