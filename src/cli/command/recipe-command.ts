import { homedir } from "node:os";
import type { Command } from "commander";
import { createParameterQuestions } from "../terminal/ask-parameter.ts";
import { cleanText } from "../terminal/clean-text.ts";
import { usageExit } from "../error/exit-code.ts";
import { formatNumberOf } from "../view/format-value.ts";
import { columnsOf, writeError, writeJson, writeLine } from "../terminal/output.ts";
import { createQuestionTerminal } from "../terminal/question-terminal.ts";
import { parseParameters } from "../arguments/parse-parameters.ts";
import { describeRecipe } from "../view/table/recipe-report.ts";
import type { Diagnostic, Preparation, RecipeSearch } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { collectValues } from "../arguments/collect-values.ts";
import { countFindings } from "../view/count-findings.ts";

const example = `
Examples:
  cadre recipe check .cadre/recipes
  cadre recipe show review.yaml
  cadre recipe render review --param target=src --param focus=security

RECIPE is a recipe's file, or its name in a folder of recipes (.cadre/recipes, .goose/recipes, ~/.config/goose/recipes,
GOOSE_RECIPE_PATH).

Exit codes: 0 fine, 1 the recipe has errors, 2 wrong usage or values.`;

interface JsonOption {
  json?: boolean;
}

/** `cadre recipe check`, `show` and `render`. */
export function defineRecipe(command: Command, setExit: (code: number) => void): void {
  command.addHelpText("after", example);
  command
    .command("check")
    .description("check recipes and everything they refer to")
    .argument("<recipes...>", "files, names, or folders of recipes")
    .option("--json", "write JSON: { diagnostics: [finding], errors, warnings }")
    .action(async (files: string[], { json = false }: JsonOption) => {
      setExit(await check(files, json));
    });
  command
    .command("show")
    .description("show a recipe's text, parameters and extensions")
    .argument("<recipe>", "a recipe's file or name")
    .option("--json", "write JSON: { recipe, diagnostics: [finding] }")
    .action(async (file: string, { json = false }: JsonOption) => {
      setExit(await show(file, json));
    });
  command
    .command("render")
    .description("print a recipe filled with values, as YAML")
    .argument("<recipe>", "a recipe's file or name")
    .option("--param <key=value>", "a value; may be given several times", collectValues)
    .option("--json", "write JSON: { ok, recipe } or { ok, code, message, problems }")
    .action(async (file: string, options: JsonOption & { param?: string[] }) => {
      setExit(await render(file, options));
    });
}

function here(): RecipeSearch {
  return { cwd: process.cwd(), home: homedir(), environment: process.env };
}

async function check(files: readonly string[], json: boolean): Promise<number> {
  const { checkRecipes } = await import("../../host.ts");
  const diagnostics = await checkRecipes(files, here());
  const errors = countFindings(diagnostics, "error");
  const warnings = countFindings(diagnostics, "warning");
  if (json) writeJson({ diagnostics, errors, warnings });
  else {
    await listFindings(diagnostics, writeLine);
    writeLine(`${formatNumberOf(errors, "error")}, ${formatNumberOf(warnings, "warning")}`);
  }
  return errors > 0 ? 1 : 0;
}

async function show(file: string, json: boolean): Promise<number> {
  const { openRecipe } = await import("../../host.ts");
  const { recipe, diagnostics } = await openRecipe(file, here());
  if (json) writeJson({ recipe, diagnostics });
  else {
    if (recipe !== null)
      for (const line of describeRecipe(recipe, columnsOf(process.stdout))) writeLine(line);
    await listFindings(diagnostics, writeError);
  }
  return recipe === null ? 1 : 0;
}

async function render(
  file: string,
  { param, json = false }: JsonOption & { param?: string[] },
): Promise<number> {
  const values = parseParameters(param ?? []);
  const { openRecipe, prepareRecipe, renderRecipe } = await import("../../host.ts");
  const search = here();
  const { recipe, diagnostics } = await openRecipe(file, search);
  if (recipe === null) {
    if (json) writeJson({ ok: false, code: "definition-invalid", diagnostics });
    else await listFindings(diagnostics, writeError);
    return 1;
  }
  const terminal = createQuestionTerminal({ input: process.stdin, output: process.stderr });
  const ask = terminal && createParameterQuestions(terminal);
  const prepared = await prepareRecipe(recipe, values, {
    cwd: search.cwd,
    roots: [search.cwd, recipe.root],
    ...omitUndefined({ ask }),
  });
  if (json) writeJson(prepared);
  else if (prepared.ok) writeLine(cleanText(renderRecipe(prepared.recipe)).trimEnd());
  else writeError(cleanText(prepared.message));
  return exitOf(prepared);
}

function exitOf(prepared: Preparation): number {
  if (prepared.ok) return 0;
  return prepared.code === "input-invalid" ? usageExit : 1;
}

async function listFindings(
  diagnostics: readonly Diagnostic[],
  write: (line: string) => void,
): Promise<void> {
  const { formatDiagnostic } = await import("../../host.ts");
  for (const diagnostic of diagnostics) write(cleanText(formatDiagnostic(diagnostic)));
}
