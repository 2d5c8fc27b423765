import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { fillWithDefaults, hasUnknown, isCommandOf } from "./fill-unknown.ts";
import { loadRecipe } from "../load/load-recipe.ts";
import type { Recipe } from "../recipe.ts";

async function read(fields: object): Promise<Recipe> {
  const folder = join(temporaryFolder(), "recipes");
  mkdirSync(folder);
  const path = join(folder, "r.yaml");
  const parameter = (key: string, more: object = {}): object => {
    return { key, input_type: "string", requirement: "required", description: "x", ...more };
  };
  const parameters = [
    parameter("name"),
    parameter("flag", { requirement: "optional", default: "fast" }),
  ];
  const recipe = {
    version: "1.0.0",
    title: "R",
    description: "x",
    prompt: "{{ name }} {{ flag }}",
    parameters,
  };
  writeFileSync(path, JSON.stringify({ ...recipe, ...fields }));
  const loaded = await loadRecipe(path, { root: folder });
  if (loaded.recipe === null) throw new Error("a recipe was expected");
  return loaded.recipe;
}

const withChecks = async (...commands: readonly string[]): Promise<Recipe> =>
  await read({
    retry: { max_retries: 1, checks: commands.map((command) => ({ type: "shell", command })) },
  });

test("a recipe is filled with its defaults, and a mark replaces values that only a call gives", async () => {
  const server = (name: string, arg: string): object => ({
    type: "stdio",
    name,
    cmd: "x",
    args: [arg],
  });
  const recipe = await read({
    extensions: [server("known", "{{ flag }}"), server("unknown", "--name={{ name }}")],
  });
  const filled = await fillWithDefaults(recipe);
  const [known, unknown] = filled?.extensions ?? [];
  expect(known).toMatchObject({ name: "known", args: ["fast"] });
  expect(hasUnknown(known)).toBe(false);
  expect(hasUnknown(unknown)).toBe(true);
});

test("a command belongs to a recipe if some value produces it", async () => {
  const recipe = await withChecks(
    "npm test",
    "check {{ name }} --{{ flag }}",
    "sh {{ recipe_dir }}/a.sh",
  );
  const isKnown = async (command: string): Promise<boolean> => await isCommandOf(recipe, command);
  expect(await isKnown("npm test")).toBe(true);
  expect(await isKnown("check anything --fast")).toBe(true);
  expect(await isKnown("check a.b/c --slow")).toBe(true);
  expect(await isKnown(`sh ${recipe.path.replace("/r.yaml", "")}/a.sh`)).toBe(true);
});

test("no value adds another command", async () => {
  const recipe = await withChecks("check {{ name }} --{{ flag }}");
  for (const command of [
    "check a; rm -rf / --fast",
    "check $(id) --fast",
    "check a b --fast",
    "check a --fast && true",
    "check a",
    "checks a --fast",
    "",
  ]) {
    expect(await isCommandOf(recipe, command)).toBe(false);
  }
});

test("the on_failure command belongs to it too, and a recipe without commands has none", async () => {
  const recipe = await read({
    retry: { max_retries: 1, checks: [], on_failure: "git checkout {{ name }}" },
  });
  expect(await isCommandOf(recipe, "git checkout main")).toBe(true);
  expect(await isCommandOf(await read({}), "git checkout main")).toBe(false);
});
