import { z } from "zod";
import type { Budget } from "../../run/budget.ts";
import { budgetSchema } from "../../run/limit/limit-schema.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { JsonObject } from "../../source/json.ts";
import {
  dependsOnSchema,
  labelSchema,
  maxTimeoutSeconds,
  modelSchema,
} from "./check-delegation.ts";
import { isFileModel } from "../settings/choose-model.ts";
import { jsonValue } from "../../source/json-value.ts";

const json = (): z.ZodType<JsonObject> => z.record(z.string(), jsonValue);

const settings = closedObject({
  provider: z
    .string()
    .min(1)
    .refine((provider) => !isFileModel(`${provider}:`), {
      error: ({ input }) =>
        `expected a provider, got ${JSON.stringify(input)}, whose models are files; only users may choose one`,
    })
    .optional()
    .describe("The model's provider, such as anthropic."),
  model: modelSchema.optional().describe("The model's id, an alias, or provider:model."),
  temperature: z.number().min(0).max(2).optional(),
});

const image = closedObject({
  data: z.string().optional().describe("base64"),
  path: z.string().optional().describe("A file in the workspace, instead of data."),
  mediaType: z.string().optional().describe("Such as image/png. Default: detected."),
});

const fields = {
  instructions: z
    .string()
    .min(1)
    .optional()
    .describe("The task in your own words; with subrecipe, additional instructions."),
  subrecipe: z.string().min(1).optional().describe("The name of a recipe in the list above."),
  agent: z.string().min(1).optional().describe("The name of an agent to run, instead of a recipe."),
  parameters: json().optional().describe("Values for the parameters of the recipe."),
  extensions: z
    .array(z.string().min(1))
    .max(100)
    .optional()
    .describe("The extensions it gets. Default: all of yours; [] = none."),
  settings: settings.optional().describe("Overrides the model and its temperature."),
  summary: z
    .boolean()
    .default(true)
    .describe("true: you get its final summary; false: all its text and tool results."),
  images: z.array(image).max(20).optional().describe("Images that belong to the task."),
  label: labelSchema.optional().describe("A name for this run."),
  dependsOn: dependsOnSchema.optional().describe("Ids or labels of runs that must end first."),
  includeDependencyResult: z.boolean().optional().describe("Give it the results of dependsOn."),
  sharedContext: json().optional().describe("Data that it and its sub-agents can read."),
  background: z
    .boolean()
    .optional()
    .describe("Do not wait: its result enters your conversation when it has ended."),
  timeoutSeconds: z.number().positive().max(maxTimeoutSeconds).optional(),
  budget: budgetSchema.optional().describe("Limits for it and its sub-agents together."),
  outputSchema: json().optional().describe("JSON Schema that its result must match."),
};

/** The arguments of the `Subagent` tool: goose's, and additions of Cadre. */
export interface SubagentInput {
  instructions?: string | undefined;
  subrecipe?: string | undefined;
  agent?: string | undefined;
  parameters?: JsonObject | undefined;
  extensions?: string[] | undefined;
  settings?: SubagentSettings | undefined;
  summary: boolean;
  images?: SubagentImage[] | undefined;
  label?: string | undefined;
  dependsOn?: string | string[] | undefined;
  includeDependencyResult?: boolean | undefined;
  sharedContext?: JsonObject | undefined;
  background?: boolean | undefined;
  timeoutSeconds?: number | undefined;
  budget?: Budget | undefined;
  outputSchema?: JsonObject | undefined;
}

/** An image of a task: `data`, base64, or the `path` of a file. */
export interface SubagentImage {
  data?: string | undefined;
  path?: string | undefined;
  mediaType?: string | undefined;
}

/** The model and its settings. */
export interface SubagentSettings {
  provider?: string | undefined;
  model?: string | undefined;
  temperature?: number | undefined;
}

/** Checks the arguments of the `Subagent` tool. */
export const subagentInput: z.ZodType<SubagentInput> = closedObject(fields).check(
  ({ value, issues }) => {
    for (const message of contradictionsIn(value)) {
      issues.push({ code: "custom", input: value, message });
    }
  },
);

function contradictionsIn(
  input: Pick<SubagentInput, "instructions" | "subrecipe" | "agent" | "parameters">,
): string[] {
  const { instructions, subrecipe, agent, parameters } = input;
  const problems: string[] = [];
  if (instructions === undefined && subrecipe === undefined) {
    problems.push(
      "expected instructions (a task in your words), subrecipe (a recipe's name), or both; got neither",
    );
  }
  if (parameters !== undefined && subrecipe === undefined) {
    problems.push(
      "parameters are for a recipe: name it with subrecipe, or write them into instructions",
    );
  }
  if (agent !== undefined && subrecipe !== undefined) {
    problems.push("expected agent or subrecipe, got both: use one of them");
  }
  return problems;
}
