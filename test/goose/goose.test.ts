import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../fixtures/tool-call.ts";
import { fieldsCases } from "./fields-cases.ts";
import { namesCases } from "./names-cases.ts";
import { parametersCases } from "./parameters-cases.ts";
import { type Facts, recipeOf, type RenderCase } from "./render-case.ts";
import { leadOf, readTurns, type RunCase, type RunFacts, startModel, usual } from "./run-case.ts";
import { runCases } from "./run-cases.ts";
import { templatesCases } from "./templates-cases.ts";

/** The path of goose: run `npm install @aaif/goose-binary-linux-x64` in any folder, and name the file `bin/goose` in it. */
const goose = process.env["GOOSE_BINARY"];

describe.skipIf(goose === undefined)("the recorded behaviour of goose is correct", () => {
  const cases = [...parametersCases, ...namesCases, ...templatesCases, ...fieldsCases];
  test.each(cases)("filled: $name", async (one) => {
    expect(await fill(one)).toEqual(one.goose);
  });

  test.each(runCases)("run: $name", async (one) => {
    expect(await run(one)).toEqual({ ...usual, ...one.goose });
  });
});

async function fill(one: RenderCase): Promise<Facts | "refused"> {
  const folder = createFolder({ ...one.files, "recipe.yaml": recipeOf(one) });
  const values = Object.entries(one.values ?? {}).flatMap(([key, value]) => [
    "--params",
    `${key}=${value}`,
  ]);
  const { isSuccess, text } = await start(["--render-recipe", ...values], folder);
  return isSuccess ? factsOf(parse(text) as Rendered) : "refused";
}

async function run(one: RunCase): Promise<RunFacts> {
  const model = await startModel(one, (saying) =>
    "answer" in saying
      ? { tool: "recipe__final_output", input: saying.answer }
      : {
          tool: "delegate",
          input: { source: saying.subRecipe, parameters: saying.parameters ?? {} },
        },
  );
  const folder = createFolder({ ...one.files, "recipe.yaml": leadOf(one) });
  const { isSuccess, text } = await start([], folder, new URL(model.baseUrl).origin);
  const log = join(folder, "log");
  const last = text.trim().split("\n").at(-1) ?? "";
  return {
    isSuccess: isSuccess && !text.includes("Maximum retry attempts"),
    ...readTurns(one, model),
    output: last.startsWith("{") ? JSON.parse(last) : null,
    log: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [],
  };
}

function createFolder(files: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs `recipe.yaml` of a folder. The folder is the home folder too. */
async function start(
  options: readonly string[],
  folder: string,
  host = "http://127.0.0.1:9",
): Promise<{ isSuccess: boolean; text: string }> {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    GOOSE_PROVIDER: "openai",
    GOOSE_MODEL: "gpt-4o",
    GOOSE_MODE: "auto",
    GOOSE_DISABLE_KEYRING: "1",
    GOOSE_TELEMETRY_ENABLED: "false",
    OPENAI_API_KEY: "none",
    OPENAI_HOST: host,
  };
  const words = ["run", "--recipe", "recipe.yaml", "--no-session", ...options];
  return await new Promise((resolve) => {
    const child = execFile(goose ?? "", words, { cwd: folder, env }, (error, stdout) =>
      resolve({ isSuccess: error === null, text: stripVTControlCharacters(stdout) }),
    );
    child.stdin?.end();
  });
}

interface Rendered {
  title: string;
  prompt?: string;
  instructions?: string;
  activities?: string[];
  settings?: {
    goose_provider?: string;
    goose_model?: string;
    temperature?: number;
    max_turns?: number;
  };
  response?: { json_schema?: Facts["schema"] };
  retry?: { max_retries: number; checks: { command: string }[] };
  extensions?: { name: string; cmd?: string; uri?: string; args?: string[] }[];
  sub_recipes?: { name: string }[];
}

function factsOf(recipe: Rendered): Facts {
  const { title, activities, settings = {}, response, retry } = recipe;
  const { goose_provider: provider, goose_model: model } = settings;
  const servers = (recipe.extensions ?? []).flatMap(({ name, cmd, uri, args = [] }) => {
    const address = cmd ?? uri;
    return address === undefined ? [] : [[name, address, ...args].join(" ")];
  });
  const facts = {
    prompt: recipe.prompt?.trim(),
    instructions: recipe.instructions?.trim(),
    title: title === "T" ? undefined : title,
    activities,
    model: provider === undefined ? model : `${provider}:${model ?? ""}`,
    temperature: settings.temperature,
    maxTurns: settings.max_turns,
    schema: response?.json_schema,
    retries: retry?.max_retries,
    checks: retry?.checks.map(({ command }) => command),
    servers,
    subRecipes: [...new Set(recipe.sub_recipes?.map(({ name }) => name))],
  };
  const isSaid = (value: unknown): boolean =>
    value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => isSaid(value)));
}
