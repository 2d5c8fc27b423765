import { didYouMean } from "../../source/nearest.ts";
import { checkValue } from "../parameter/parameter-value.ts";
import { type InputType, inputTypes, type RecipeParameter } from "../recipe.ts";
import { describeValue } from "../../source/read-value.ts";
import {
  readPlain,
  readRequiredText,
  readSectionsKey,
  readTextKey,
  readTextsKey,
  reportIn,
  reportUnknownKeys,
  type Section,
} from "./section.ts";
import { ownValue } from "../../source/own-value.ts";
import { reservedWords } from "../template/template-names.ts";

const keys = ["key", "input_type", "requirement", "description", "default", "options"];

/** Other formats' names for the types that are accepted. */
const otherNames: Readonly<Record<string, InputType>> = {
  text: "string",
  path: "string",
  url: "string",
  directory: "string",
  integer: "number",
  int: "number",
  float: "number",
  bool: "boolean",
  enum: "select",
  choice: "select",
  list: "array",
  json: "object",
};

/** Reads `parameters`. */
export function readParameters(recipe: Section): RecipeParameter[] {
  const parameters: RecipeParameter[] = [];
  for (const section of readSectionsKey(recipe, "parameters") ?? []) {
    const parameter = readParameter(section);
    if (parameters.some(({ key }) => key === parameter.key && key !== "")) {
      const message = `The parameter \`${parameter.key}\` is declared more than once.`;
      const fix = "Keep one of them.";
      reportIn(section, "key", { severity: "error", code: "parameter-repeated", message, fix });
    } else parameters.push(parameter);
  }
  return parameters;
}

function readParameter(section: Section): RecipeParameter {
  reportUnknownKeys(section, keys);
  const key = readKey(section);
  const inputType = readInputType(section);
  const byDefault = readPlain(section, "default");
  const hasDefault = byDefault !== undefined;
  const parameter: RecipeParameter = {
    key,
    inputType,
    requirement: readRequirement(section, hasDefault),
    description: readDescription(section),
    ...(hasDefault && { default: byDefault }),
    ...readOptions(section),
  };
  checkDefault(section, parameter);
  checkOptions(section, parameter);
  return parameter;
}

function readKey(section: Section): string {
  const key = readRequiredText(section, "key", "target");
  if (key === "recipe_dir") {
    const message = "`recipe_dir` is the recipe's folder and already has a value.";
    const fix = "Remove the parameter, or give it another key.";
    reportIn(section, "key", { severity: "error", code: "parameter-reserved", message, fix });
  } else if (reservedWords.has(key)) {
    const message = `\`${key}\` is a word of the template language, so \`{{ ${key} }}\` never means a parameter.`;
    const fix = "Give it another key, also where it is used.";
    reportIn(section, "key", { severity: "error", code: "parameter-reserved", message, fix });
  } else if (key !== "" && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key)) {
    const message = `Expected a key of letters, digits and \`_\`, which \`{{ … }}\` can name; got ${describeValue(key)}.`;
    const fix = `Write \`key: ${key.replace(/[^\p{L}\p{N}]+/gu, "_")}\`, also where it is used`;
    reportIn(section, "key", { severity: "error", code: "parameter-key", message, fix });
  }
  return key;
}

function readInputType(section: Section): InputType {
  const written = readTextKey(section, "input_type");
  if (written === undefined) {
    const message = "Expected `input_type`; without one, the parameter is a `string`.";
    const fix = "Write `input_type: string`";
    reportIn(section, null, { severity: "warning", code: "field-missing", message, fix });
    return "string";
  }
  const known = inputTypes.find((type) => type === written.toLowerCase());
  const other = ownValue(otherNames, written.toLowerCase());
  const type = known ?? other;
  if (type === written) return type;
  const hint = didYouMean(written, inputTypes);
  reportIn(section, "input_type", {
    severity: type === undefined ? "error" : "warning",
    code: "input-type-unknown",
    message: `Expected \`input_type\` to be one of ${inputTypes.join(", ")}; got ${describeValue(written)}${type === undefined ? "" : `, which is read as \`${type}\``}.${hint}`,
    fix: `Write \`input_type: ${type ?? "string"}\``,
  });
  return type ?? "string";
}

function readRequirement(section: Section, hasDefault: boolean): RecipeParameter["requirement"] {
  const written = readTextKey(section, "requirement");
  const assumed = hasDefault ? "optional" : "required";
  if (written === undefined) {
    const message = `Expected \`requirement\`; without one, the parameter is \`${assumed}\`.`;
    const fix = `Write \`requirement: ${assumed}\``;
    reportIn(section, null, { severity: "warning", code: "field-missing", message, fix });
    return assumed;
  }
  const choices = ["required", "optional", "user_prompt"] as const;
  const known = choices.find((choice) => choice === written);
  if (known !== undefined) return known;
  reportIn(section, "requirement", {
    severity: "error",
    code: "wrong-value",
    message: `Expected \`requirement\` to be one of ${choices.join(", ")}; got ${describeValue(written)}.${didYouMean(written, choices)}`,
    fix: `Write \`requirement: ${assumed}\``,
  });
  return assumed;
}

function readDescription(section: Section): string {
  const description = readTextKey(section, "description");
  if (description === undefined) {
    const message = "Expected `description`, which tells people and agents what to give.";
    const fix = "Write `description: What to look at`";
    reportIn(section, null, { severity: "warning", code: "field-missing", message, fix });
  }
  return description ?? "";
}

function readOptions(section: Section): { options?: string[] } {
  const options = readTextsKey(section, "options");
  return options === undefined ? {} : { options };
}

function checkDefault(section: Section, parameter: RecipeParameter): void {
  const { key, inputType, requirement } = parameter;
  if (inputType === "file" && parameter.default !== undefined) {
    const message = `The parameter \`${key}\` is a file and must not have a default: a recipe could read files that the user did not choose.`;
    const fix = "Remove `default`, and write `requirement: required`.";
    reportIn(section, "default", { severity: "error", code: "file-default", message, fix });
  } else if (requirement === "optional" && parameter.default === undefined) {
    const message = `The parameter \`${key}\` is optional and has no default.`;
    const fix = 'Write `default: ""`, or `requirement: required`.';
    reportIn(section, null, { severity: "error", code: "default-missing", message, fix });
  } else if (parameter.default !== undefined) {
    const problem = checkValue(parameter, parameter.default);
    if (problem === null) return;
    const message = `The default of \`${key}\` is invalid: ${problem}.`;
    reportIn(section, "default", {
      severity: "warning",
      code: "default-unfit",
      message,
      fix: "Write a default of the parameter's type, or change `input_type`.",
    });
  }
}

function checkOptions(section: Section, { key, inputType, options }: RecipeParameter): void {
  if (inputType === "select" && (options === undefined || options.length === 0)) {
    const message = `The parameter \`${key}\` is a select without \`options\`, so it accepts any text.`;
    const fix = "Write `options: [first, second]`, or `input_type: string`.";
    reportIn(section, null, { severity: "warning", code: "options-missing", message, fix });
  } else if (inputType !== "select" && options !== undefined) {
    const message = `\`options\` has no effect on the parameter \`${key}\`, which is a ${inputType}.`;
    const fix = "Write `input_type: select`";
    reportIn(section, "options", { severity: "warning", code: "options-unused", message, fix });
  }
}
