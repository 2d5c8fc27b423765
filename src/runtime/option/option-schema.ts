import { z } from "zod";
import { hookPoints } from "../../engine/hook/consult-hooks.ts";
import { findSetting, keysBelow } from "../../config/settings.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { fallbacksField, modelField, modelObjectField } from "./model-field.ts";
import { formatsField } from "./formats-field.ts";
import { providersField } from "./providers-field.ts";
import { telemetryField } from "./telemetry-field.ts";
import { registryField } from "./registry-field.ts";
import { clockField } from "./clock-field.ts";
import { callback, count, field, flag, listField, number, nonEmptyText } from "./field.ts";

/** Most programs give few options, so the schemas of maps are made when they are used. */
const price = z.lazy(() => {
  const dollars = number("US dollars per million tokens, at least 0", 0);
  return closedObject({
    input: dollars,
    output: dollars,
    cacheRead: dollars.optional(),
    cacheWrite: dollars.optional(),
  });
});

/** The limits, as in the configuration. */
const limits = z.lazy(() =>
  closedObject(
    Object.fromEntries(
      keysBelow(["limits"]).map((key) => {
        const setting = findSetting(["limits", key]);
        const isRight = (value: unknown): boolean =>
          setting?.createSchema([]).safeParse(value).success === true;
        return [key, field(setting?.expected ?? "", isRight).optional()];
      }),
    ),
  ),
);

const environment = field(
  "an object of texts such as process.env",
  (value) =>
    isRecord(value) &&
    Object.values(value).every((one) => one === undefined || typeof one === "string"),
);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** The functions at the points of a run. */
const hooks = z.lazy(() =>
  closedObject({
    name: nonEmptyText.optional(),
    timeoutMs: number(
      "a number of milliseconds from 1 to 2,147,483,647",
      1,
      2 ** 31 - 1,
    ).optional(),
    ...Object.fromEntries([...hookPoints, "afterRun"].map((point) => [point, callback.optional()])),
  }),
);

/** The schema of the options of `createCadre` except the agents: every option, and no other. */
export const optionSchema: z.ZodType = closedObject({
  cwd: nonEmptyText.optional(),
  model: modelField.optional(),
  models: listField(modelObjectField, "models").optional(),
  fallbacks: fallbacksField.optional(),
  providers: providersField.optional(),
  contextTokens: count(1).optional(),
  price: price.optional(),
  agents: field("a list of agents", Array.isArray).optional(),
  tools: field("a list of tools, or an object of tools by name", isObject).optional(),
  agentFiles: listField(nonEmptyText, "paths").optional(),
  formats: formatsField.optional(),
  registry: registryField.optional(),
  engine: field(
    "a function, `local` or `dbos`",
    (value) => value === "local" || value === "dbos" || typeof value === "function",
  ).optional(),
  executes: flag.optional(),
  config: field("an object of settings", isRecord).optional(),
  limits: limits.optional(),
  mode: nonEmptyText.optional(),
  sandbox: nonEmptyText.optional(),
  instructions: flag.optional(),
  fallbackModel: callback.optional(),
  telemetry: telemetryField.optional(),
  hooks: listField(hooks, "objects with hooks").optional(),
  onApproval: field(
    "a function, or `wait`",
    (value) => value === "wait" || typeof value === "function",
  ).optional(),
  onElicit: callback.optional(),
  onParameter: callback.optional(),
  readOpenText: callback.optional(),
  clock: clockField.optional(),
  trust: flag.optional(),
  environment: environment.optional(),
  home: nonEmptyText.optional(),
}).superRefine((options, context) => {
  if (isRecord(options["model"])) return;
  for (const key of ["contextTokens", "price"]) {
    if (options[key as keyof typeof options] === undefined) continue;
    const setting = key === "price" ? "models.prices" : "models.contextTokens";
    const message = `it describes a \`model\` that is given as an object. For a model that is named, write ${setting} in the configuration`;
    context.addIssue({ code: "custom", path: [key], message });
  }
});
