import type { RetryPolicy } from "../../run/retry-policy.ts";
import { checkSchema } from "../../source/schema/json-schema.ts";
import type { JsonObject } from "../../source/json.ts";
import { readExtensions } from "./read-extensions.ts";
import { readParameters } from "./read-parameters.ts";
import { readSubRecipes } from "./read-sub-recipes.ts";
import type { RecipeFields, RecipeSettings } from "../recipe.ts";
import { describeValue } from "../../source/read-value.ts";
import {
  readNumberKey,
  readRequiredText,
  readSection,
  readSectionsKey,
  readTextKey,
  readTextsKey,
  reportIn,
  reportUnknownKeys,
  type Section,
} from "./section.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const keys = [
  "version",
  "title",
  "description",
  "instructions",
  "prompt",
  "activities",
  "context",
  "author",
  "parameters",
  "extensions",
  "settings",
  "response",
  "retry",
  "sub_recipes",
];

/** Keys of goose Desktop that have no effect on the recipe. */
const bookkeeping = [
  "id",
  "name",
  "isGlobal",
  "lastModified",
  "isArchived",
  "category",
  "tags",
  "action",
  "recipeUrl",
];

/** Reads the fields of a parsed recipe. Invalid fields are reported and left out. */
export function readFields(recipe: Section): RecipeFields {
  reportUnknownKeys(recipe, [...keys, ...bookkeeping]);
  const instructions = readTextKey(recipe, "instructions");
  const prompt = readTextKey(recipe, "prompt");
  const extensions = readExtensions(recipe);
  const outputSchema = readResponse(recipe);
  const retry = readRetry(recipe);
  const author = readAuthor(recipe);
  if (isBlank(instructions) && isBlank(prompt)) {
    const message = "Expected `instructions` or `prompt`, got neither.";
    const fix = "Write `prompt: What the agent is to do`";
    reportIn(recipe, null, { severity: "error", code: "recipe-empty", message, fix });
  }
  return {
    version: readTextKey(recipe, "version") ?? "1.0.0",
    title: readTitle(recipe),
    description: readRequiredText(recipe, "description", "Reviews a change").trim(),
    ...omitUndefined({ instructions, prompt }),
    activities: readTextsKey(recipe, "activities") ?? [],
    context: readTextsKey(recipe, "context") ?? [],
    ...omitUndefined({ author }),
    parameters: readParameters(recipe),
    ...omitUndefined({ extensions }),
    settings: readSettings(recipe),
    ...omitUndefined({ outputSchema, retry }),
    subRecipes: readSubRecipes(recipe),
  };
}

/** Reads the title. Accepts `name`, the key in many other formats, with a warning. */
function readTitle(recipe: Section): string {
  const { title, name } = recipe.data;
  if ((title ?? null) !== null || typeof name !== "string") {
    return readRequiredText(recipe, "title", "Code review").trim();
  }
  const message = `Expected \`title\`, got nothing; \`name\` is used instead.`;
  const fix = `Write \`title: ${JSON.stringify(name)}\``;
  reportIn(recipe, "name", { severity: "warning", code: "field-missing", message, fix });
  return name.trim();
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function readAuthor(recipe: Section): RecipeFields["author"] {
  const { author: written } = recipe.data;
  if (typeof written === "string") {
    const message = `Expected \`author\` to be a map, got ${describeValue(written)}, which is read as the contact.`;
    const fix = `Write \`author: {contact: ${JSON.stringify(written)}}\``;
    reportIn(recipe, "author", { severity: "warning", code: "wrong-type", message, fix });
    return { contact: written };
  }
  const section = readSection(recipe, "author");
  if (section === undefined) return undefined;
  reportUnknownKeys(section, ["contact", "metadata"]);
  const contact = readTextKey(section, "contact");
  const metadata = readTextKey(section, "metadata");
  return omitUndefined({ contact, metadata });
}

function readSettings(recipe: Section): RecipeSettings {
  const section = readSection(recipe, "settings");
  if (section === undefined) return {};
  reportUnknownKeys(section, ["goose_provider", "goose_model", "temperature", "max_turns"]);
  const provider = readTextKey(section, "goose_provider")?.trim();
  const model = readTextKey(section, "goose_model")?.trim();
  const temperature = readNumberKey(section, "temperature", { min: 0, max: 2 });
  const maxTurns = readNumberKey(section, "max_turns", { min: 1, isWhole: true });
  if (provider !== undefined && model === undefined) {
    const message =
      "`goose_provider` without `goose_model` has no effect, because it names no model.";
    const fix = "Write `goose_model: NAME` too, or remove `goose_provider`.";
    reportIn(section, "goose_provider", {
      severity: "warning",
      code: "model-missing",
      message,
      fix,
    });
  }
  return {
    ...omitUndefined({ provider, model, temperature, maxTurns }),
  };
}

function readResponse(recipe: Section): JsonObject | undefined {
  const section = readSection(recipe, "response");
  if (section === undefined) return undefined;
  if ("type" in section.data || "properties" in section.data) {
    const message =
      "Expected `response` to have the JSON Schema under `json_schema`; without that key it has no effect.";
    const fix = "Write `json_schema:` below `response:`, and indent the schema under it.";
    reportIn(recipe, "response", { severity: "warning", code: "schema-misplaced", message, fix });
    return undefined;
  }
  reportUnknownKeys(section, ["json_schema"]);
  const schema = readSection(section, "json_schema");
  if (schema === undefined) return undefined;
  const message = checkSchema(schema.data);
  if (message === undefined) return schema.data;
  reportIn(section, "json_schema", {
    severity: "error",
    code: "schema-invalid",
    message,
    fix: null,
  });
  return undefined;
}

const retryKeys = [
  "max_retries",
  "checks",
  "on_failure",
  "timeout_seconds",
  "on_failure_timeout_seconds",
];

function readRetry(recipe: Section): RetryPolicy | undefined {
  const section = readSection(recipe, "retry");
  if (section === undefined) return undefined;
  reportUnknownKeys(section, retryKeys);
  requireKey(section, "max_retries", "3");
  requireKey(section, "checks", '[{type: shell, command: "npm test"}]');
  const onFailure = readTextKey(section, "on_failure");
  const timeoutSeconds = readNumberKey(section, "timeout_seconds", { min: 1 });
  const onFailureTimeoutSeconds = readNumberKey(section, "on_failure_timeout_seconds", { min: 1 });
  return {
    maxRetries: readNumberKey(section, "max_retries", { min: 1, max: 1000, isWhole: true }) ?? 1,
    checks: (readSectionsKey(section, "checks") ?? []).flatMap(readCheck),
    ...omitUndefined({ onFailure, timeoutSeconds, onFailureTimeoutSeconds }),
  };
}

function readCheck(section: Section): RetryPolicy["checks"] {
  reportUnknownKeys(section, ["type", "command"]);
  const type = readRequiredText(section, "type", "shell");
  const command = readRequiredText(section, "command", "npm test");
  if (type !== "" && type !== "shell") {
    const message = `Expected \`type: shell\`, the only kind of check; got ${describeValue(type)}.`;
    const fix = "Write `type: shell`";
    reportIn(section, "type", { severity: "error", code: "wrong-value", message, fix });
  }
  return command === "" ? [] : [{ type: "shell", command }];
}

function requireKey(section: Section, key: string, example: string): void {
  const value = section.data[key];
  if (value !== undefined && value !== null) return;
  const message = `Expected \`${key}\`, got nothing.`;
  const fix = `Write \`${key}: ${example}\``;
  reportIn(section, null, { severity: "error", code: "field-missing", message, fix });
}
