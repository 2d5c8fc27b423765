import type { z } from "zod";
import { findSetting, keysBelow } from "../../config/settings.ts";
import { closedObject } from "../../source/closed-object.ts";
import { isRecord } from "../../source/json.ts";
import { callback, count, field, flag, listOf, number, text } from "./field.ts";

/** A model by its reference, or one of the AI SDK. */
const model = field(
  "`provider:model`, an alias, or a model of the AI SDK's provider interface (specification v4)",
  (value) =>
    typeof value === "string"
      ? value.trim() !== ""
      : isRecord(value) && value["specificationVersion"] === "v4",
);

const dollars = number("US dollars per million tokens, at least 0", 0);

const price = closedObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});

/** Each limit as the configuration takes it. */
const limits = closedObject(
  Object.fromEntries(
    keysBelow(["limits"]).map((key) => {
      const setting = findSetting(["limits", key]);
      const isRight = (value: unknown): boolean =>
        setting?.schema.safeParse(value).success === true;
      return [key, field(setting?.expected ?? "", isRight).optional()];
    }),
  ),
);

const environment = field(
  "an object of texts such as process.env",
  (value) =>
    isRecord(value) &&
    Object.values(value).every((one) => one === undefined || typeof one === "string"),
);

/** Checks the options of `createCadre`, but for the agents: every option that there is, and no other. */
export const optionSchema: z.ZodType = closedObject({
  cwd: text.optional(),
  model: model.optional(),
  contextTokens: count(1).optional(),
  price: price.optional(),
  agents: field("a list of agents", Array.isArray).optional(),
  agentFiles: listOf(text, "paths").optional(),
  registry: text.optional(),
  limits: limits.optional(),
  mode: text.optional(),
  sandbox: text.optional(),
  fallbackModel: callback.optional(),
  onApproval: callback.optional(),
  onElicit: callback.optional(),
  onParameter: callback.optional(),
  stream: flag.optional(),
  trust: flag.optional(),
  environment: environment.optional(),
  home: text.optional(),
}).superRefine((options, context) => {
  if (isRecord(options["model"])) return;
  for (const key of ["contextTokens", "price"]) {
    if (options[key as keyof typeof options] === undefined) continue;
    const setting = key === "price" ? "models.prices" : "models.contextTokens";
    const message = `it describes a \`model\` that is given as an object. For a model that is named, write ${setting} in the configuration`;
    context.addIssue({ code: "custom", path: [key], message });
  }
});
