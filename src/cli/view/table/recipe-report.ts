import { cleanLine } from "../../terminal/clean-text.ts";
import { wrapLine } from "../../terminal/wrap-prose.ts";
import { oneLine } from "./agent-rows.ts";
import { formatTable } from "./table.ts";
import type { Recipe, RecipeExtension, RecipeParameter, SubRecipe } from "../../../host.ts";

/** Describes a recipe in lines of at most `columns` columns: its text, parameters and extensions. */
export function describeRecipe(recipe: Recipe, columns: number): string[] {
  const { title, name, description, path, parameters, subRecipes, extensions } = recipe;
  return [
    `${cleanLine(title)} (${name})`,
    ...(description === "" ? [] : wrapLine(cleanLine(description), columns)),
    cleanLine(path),
    ...section("Settings", describeSettings(recipe)),
    ...section(
      "Parameters",
      describeRows(
        ["KEY", "TYPE", "NEEDED", "DEFAULT", "WHAT"],
        parameters.map(toParameterRow),
        columns - 2,
      ),
    ),
    ...section(
      "Sub-recipes",
      describeRows(
        ["NAME", "ORDER", "FILE", "FIXED", "WHAT"],
        subRecipes.map(toSubRecipeRow),
        columns - 2,
      ),
    ),
    ...section(
      "Extensions",
      extensions === undefined
        ? ["the extensions of the agent that runs it"]
        : extensions.length === 0
          ? ["none"]
          : formatTable(["NAME", "KIND", "FROM"], extensions.map(toExtensionRow), columns - 2),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** Formats rows whose last cell is a description, which stands below its row on a narrow terminal. */
function describeRows(
  titles: readonly string[],
  rows: readonly string[][],
  columns: number,
): string[] {
  if (rows.length === 0) return [];
  if (columns >= oneLine) return formatTable(titles, rows, columns);
  const short = rows.map((row) => row.slice(0, -1));
  const [title = "", ...lines] = formatTable(titles.slice(0, -1), short, columns);
  const about = rows.map((row) => wrapLine(`  ${cleanLine(row.at(-1) ?? "")}`, columns));
  return [title, ...lines.flatMap((line, index) => [line].concat(about[index] ?? []))];
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
