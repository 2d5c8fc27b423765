import { z } from "zod";
import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { describeRuleProblem, isRuleProblem, parseRule } from "../../run/permission-rule.ts";
import { permissionModes } from "../../run/permission.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { Assignment } from "../assignment.ts";
import { jsonValue } from "../../source/json-value.ts";

/** The maximum size of provider options, in characters of JSON. They are sent with each request. */
const maxOptionsLength = 64 * 1024;
const most = 100;

const name = z.string().min(1).max(200);

// Few requests have these, so their schemas are made when they are used.
const permissionsSchema = z.lazy(() => {
  const rule = z.string().superRefine((text, context) => {
    const parsed = parseRule(text);
    if (!isRuleProblem(parsed)) return;
    context.addIssue({ code: "custom", message: `${parsed.message} Write ${parsed.fix}` });
  });
  const rules = z.array(rule).max(1000).optional();
  return closedObject({ allow: rules, ask: rules, deny: rules });
});

const toolChoiceSchema = z.lazy(() =>
  z.union([z.enum(["auto", "none", "required"]), closedObject({ tool: name })], {
    error: "expected auto, none, required or { tool: NAME }",
  }),
);

const stopWhenSchema = z.lazy(() => {
  const condition = z.union(
    [closedObject({ toolCall: name }), closedObject({ turns: z.int().min(1) })],
    { error: "expected { toolCall: NAME } or { turns: NUMBER }" },
  );
  return z.union([condition, z.array(condition).min(1).max(most)]);
});

const taskCallsSchema = z.lazy(() => {
  const command = { command: z.string().min(1), start: z.int().min(0), end: z.int().min(0) };
  const call = z.union([closedObject(command), closedObject({ file: z.string().min(1) })], {
    error: "expected { command: TEXT, start: NUMBER, end: NUMBER } or { file: PATH }",
  });
  return z.array(call).max(most);
});

const providerOptionsSchema = z.lazy(() =>
  z
    .record(z.string(), z.record(z.string(), jsonValue))
    .refine((options) => JSON.stringify(options).length <= maxOptionsLength, {
      error: `expected at most ${maxOptionsLength} characters of JSON`,
    }),
);

/** The fields of a request for settings of its agent. */
export const agentSettingFields: Readonly<Record<string, z.ZodType>> = {
  cwd: z.string().min(1).optional(),
  mode: z.enum(permissionModes).optional(),
  permissions: permissionsSchema.optional(),
  tools: z.array(name).max(1000).optional(),
  maxTurns: z.int().min(1).optional(),
  providerOptions: providerOptionsSchema.optional(),
  toolChoice: toolChoiceSchema.optional(),
  stopWhen: stopWhenSchema.optional(),
  taskCalls: taskCallsSchema.optional(),
};

/** The settings of agents that Cadre executes with a model. */
const settingsOfPrompts = [
  "tools",
  "maxTurns",
  "providerOptions",
  "toolChoice",
  "stopWhen",
  "taskCalls",
] as const;

/**
 * Refuses settings of a request that have no effect on its agent, and rules for unknown tools. `ownTools` are the program's
 * tools.
 *
 * @throws CadreError `invalid-argument`.
 */
export function checkAgentSettings(assignment: Assignment, ownTools: readonly string[]): void {
  const { definition, outputSchema = definition.outputSchema, stopWhen, permissions } = assignment;
  for (const [key, texts] of Object.entries(permissions ?? {})) {
    for (const text of texts) {
      const problem = describeRuleProblem(text, ownTools);
      if (problem !== null) throw invalid(`Expected valid rules in permissions.${key}. ${problem}`);
    }
  }
  const given = settingsOfPrompts.filter((one) => assignment[one] !== undefined);
  const kind = kindOf(definition);
  if (kind !== undefined && given.length > 0) {
    throw invalid(
      `The agent ${definition.name} is ${kind}, for which ${given.join(", ")} in a request have no effect. Leave them out.`,
    );
  }
  checkFolders(assignment);
  if (stopWhen !== undefined && outputSchema !== undefined) {
    throw invalid(
      `The agent ${definition.name} has an output schema, so it ends with its output: leave out \`stopWhen\`, or the schema.`,
    );
  }
}

/** Requires that the commands of a task follow one another in it. */
function checkFolders({ task, taskCalls = [] }: Assignment): void {
  let position = 0;
  for (const call of taskCalls) {
    if ("file" in call) continue;
    const { command, start, end } = call;
    if (start < position || end < start || end > task.length) {
      throw invalid(
        `Expected the commands of \`taskCalls\` in the order of their places in the task, which has ${task.length} characters; got ${JSON.stringify(command)} at ${start} to ${end}, after ${position}.`,
      );
    }
    position = end;
  }
}

function kindOf(definition: AgentDefinition): string | undefined {
  if (isProgram(definition)) return "a program";
  return definition.runner === undefined ? undefined : "executed by another program";
}

function invalid(message: string): CadreError {
  return new CadreError("invalid-argument", message);
}
