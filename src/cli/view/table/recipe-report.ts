import { cleanLine } from "../../terminal/clean-text.ts";
import { columnsOf } from "../../terminal/output.ts";
import { formatTable } from "./table.ts";
import type { Recipe, RecipeExtension, RecipeParameter, SubRecipe } from "../../../host.ts";

/** Describes a recipe: its text, parameters and extensions. */
export function describeRecipe(recipe: Recipe): string[] {
  const { title, name, description, path, parameters, subRecipes, extensions } = recipe;
  return [
    `${cleanLine(title)} (${name})`,
    ...(description === "" ? [] : [cleanLine(description)]),
    cleanLine(path),
    ...section("Settings", describeSettings(recipe)),
    ...section(
      "Parameters",
      toTable(["KEY", "TYPE", "NEEDED", "DEFAULT", "WHAT"], parameters.map(toParameterRow)),
    ),
    ...section(
      "Sub-recipes",
      toTable(["NAME", "ORDER", "FILE", "FIXED", "WHAT"], subRecipes.map(toSubRecipeRow)),
    ),
    ...section(
      "Extensions",
      extensions === undefined
        ? ["the extensions of the agent that runs it"]
        : extensions.length === 0
          ? ["none"]
          : toTable(["NAME", "KIND", "FROM"], extensions.map(toExtensionRow)),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function toTable(titles: readonly string[], rows: readonly string[][]): string[] {
  return rows.length === 0 ? [] : formatTable(titles, rows, columnsOf(process.stdout) - 2);
}

function describeSettings({ settings, retry, outputSchema }: Recipe): string[] {
  const { provider, model, temperature, maxTurns } = settings;
  const checks = retry?.checks.map(({ command }) => command).join("; ");
  const lines: [string, string | undefined][] = [
    ["model", [provider, model].filter((part) => part !== undefined).join(":") || undefined],
    ["temperature", temperature?.toString()],
    ["turns", maxTurns?.toString()],
    ["answer", outputSchema === undefined ? undefined : "JSON, by a schema"],
    ["retries", retry === undefined ? undefined : `${retry.maxRetries}, until: ${checks}`],
  ];
  return lines.flatMap(([label, value]) =>
    value === undefined ? [] : [`${label}: ${cleanLine(value)}`],
  );
}

function toParameterRow(parameter: RecipeParameter): string[] {
  const { key, inputType, requirement, options, description } = parameter;
  const type = options === undefined ? inputType : `${inputType}: ${options.join(" | ")}`;
  const value = parameter.default;
  const shown = typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value ?? null);
  return [key, type, requirement, value === undefined ? "-" : shown, description];
}

function toSubRecipeRow(subRecipe: SubRecipe): string[] {
  const { name, sequentialWhenRepeated, writtenPath, values, description } = subRecipe;
  const order = sequentialWhenRepeated ? "one by one" : "parallel";
  return [name, order, writtenPath, Object.keys(values).join(",") || "-", description];
}

function toExtensionRow(extension: RecipeExtension): string[] {
  if (extension.kind === "builtin") return [extension.name, "builtin", "Cadre's own tools"];
  const { config } = extension;
  const from = config.type === "stdio" ? [config.command, ...config.args].join(" ") : config.url;
  return [config.name, config.type, from];
}
