import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRecipeFolder } from "../../../test/fixtures/recipe-folder.ts";
import type { JsonValue } from "../../source/json.ts";
import { readParameterValues } from "./parameter-values.ts";
import type { RecipeParameter } from "../recipe.ts";

function parameter(more: Partial<RecipeParameter>): RecipeParameter {
  return { key: "p", inputType: "string", requirement: "required", description: "what", ...more };
}

const nowhere = { cwd: "/", roots: [] };

async function read(one: Partial<RecipeParameter>, value: JsonValue): Promise<unknown> {
  const { values, problems } = await readParameterValues([parameter(one)], { p: value }, nowhere);
  return problems[0]?.message ?? values["p"];
}

describe("a value", () => {
  test.each<[Partial<RecipeParameter>, JsonValue, unknown]>([
    [{ inputType: "string" }, "a b", "a b"],
    [{ inputType: "string" }, 5, "5"],
    [{ inputType: "string" }, ["a"], "`p`: expected text, got a list of 1."],
    [{ inputType: "number" }, "12.5", "12.5"],
    [{ inputType: "number" }, 12, "12"],
    [{ inputType: "number" }, "twelve", "`p`: expected a number, got `twelve`."],
    [{ inputType: "number" }, "", "`p`: expected a number, got ``."],
    [{ inputType: "boolean" }, true, "true"],
    [{ inputType: "boolean" }, "False", "False"],
    [{ inputType: "boolean" }, "yes", "`p`: expected `true` or `false`, got `yes`."],
    [{ inputType: "date" }, "2026-11-30", "2026-11-30"],
    [{ inputType: "date" }, "2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"],
    [
      { inputType: "date" },
      "2026-13-30",
      "`p`: expected a date such as 2026-11-30, got `2026-13-30`.",
    ],
    [{ inputType: "select", options: ["low", "high"] }, "low", "low"],
    [
      { inputType: "select", options: ["low", "high"] },
      "hihg",
      "`p`: expected one of `low`, `high` (Did you mean `high`?), got `hihg`.",
    ],
    [{ inputType: "object" }, '{"a": [1]}', { a: [1] }],
    [{ inputType: "object" }, { a: 1 }, { a: 1 }],
    [{ inputType: "object" }, "[1]", "`p`: expected a JSON object, got `[1]`."],
    [{ inputType: "array" }, "[1, 2]", [1, 2]],
    [{ inputType: "array" }, "1, 2", "`p`: expected a JSON array, got `1, 2`."],
  ])("of %j given as %j becomes %j", async (one, value, expected) => {
    expect(await read(one, value)).toEqual(expected);
  });
});

test("all problems are reported at once, with descriptions and similar names", async () => {
  const parameters = [
    parameter({ key: "target", description: "what to look at" }),
    parameter({ key: "focus", description: "what for" }),
    parameter({ key: "count", inputType: "number" }),
  ];
  const { problems } = await readParameterValues(
    parameters,
    { taget: "x", count: "many" },
    nowhere,
  );
  expect(problems.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    "unknown: `taget` is not a parameter of the recipe. Did you mean `target`? It has target, focus, count.",
    "missing: `target` (string) is missing: what to look at",
    "missing: `focus` (string) is missing: what for",
    "unfit: `count`: expected a number, got `many`.",
  ]);
});

test("a default replaces a missing value for any requirement, and null is a missing value", async () => {
  const parameters = [
    parameter({ key: "a", requirement: "optional", default: "x" }),
    parameter({ key: "b", requirement: "required", default: 5, inputType: "number" }),
  ];
  const { values, problems } = await readParameterValues(parameters, { a: null }, nowhere);
  expect(problems).toEqual([]);
  expect(values).toEqual({ a: "x", b: "5" });
});

describe("a parameter that the user is asked for", () => {
  const asked = [parameter({ requirement: "user_prompt", inputType: "number" })];

  test("gets the answer, which is checked like any value", async () => {
    const answer = (text: string): ReturnType<typeof readParameterValues> =>
      readParameterValues(asked, {}, { ...nowhere, ask: () => Promise.resolve(text) });
    expect((await answer("5")).values).toEqual({ p: "5" });
    expect((await answer("five")).problems).toMatchObject([{ kind: "unfit" }]);
  });

  test("is requested again with the problem, a limited number of times", async () => {
    const asks: (string | undefined)[] = [];
    const answers = ["five", "", "5"];
    const ask = async (_: unknown, problem?: string): Promise<string | undefined> => {
      asks.push(problem);
      return answers.shift() ?? "none";
    };
    expect((await readParameterValues(asked, {}, { ...nowhere, ask })).values).toEqual({ p: "5" });
    const wrong = "`p`: expected a number, got ";
    expect(asks).toEqual([undefined, `${wrong}\`five\`.`, `${wrong}\`\`.`]);
    asks.length = 0;
    const { problems } = await readParameterValues(asked, {}, { ...nowhere, ask });
    expect(problems).toMatchObject([{ kind: "unfit" }]);
    expect(asks).toHaveLength(3);
  });

  test("is missing without a user to ask, or without an answer", async () => {
    expect((await readParameterValues(asked, {}, nowhere)).problems).toMatchObject([
      { kind: "missing" },
    ]);
    const ask = (): Promise<undefined> => Promise.resolve(undefined);
    const { problems } = await readParameterValues(asked, {}, { ...nowhere, ask });
    expect(problems).toMatchObject([{ kind: "missing" }]);
  });

  test("is not requested if the call is refused anyway, or a value is given", async () => {
    const ask = (): never => {
      throw new Error("asked");
    };
    const all = [...asked, parameter({ key: "q" })];
    const { problems } = await readParameterValues(all, {}, { ...nowhere, ask });
    expect(problems.map(({ key }) => key)).toEqual(["p", "q"]);
    const given = await readParameterValues(asked, { p: 1 }, { ...nowhere, ask });
    expect(given.values).toEqual({ p: "1" });
  });
});

describe("a file", () => {
  const file = [parameter({ inputType: "file" })];

  test("is replaced by its content", async () => {
    const folder = createRecipeFolder({ "in/notes.md": "one\n{{ two }}\n" });
    const options = { cwd: join(folder.path, "in"), roots: [folder.path] };
    const { values } = await readParameterValues(file, { p: "notes.md" }, options);
    expect(values).toEqual({ p: "one\n{{ two }}\n" });
  });

  test("must exist, in one of the folders, and not be too large", async () => {
    const folder = createRecipeFolder({
      "project/large.txt": "x".repeat(1024 * 1024 + 1),
      "secret.txt": "s",
    });
    const project = join(folder.path, "project");
    symlinkSync(join(folder.path, "secret.txt"), join(project, "link.txt"));
    mkdirSync(join(project, "folder"));
    const refused = async (path: string): Promise<string | undefined> => {
      const options = { cwd: project, roots: [project] };
      const { problems } = await readParameterValues(file, { p: path }, options);
      return problems[0]?.message;
    };
    expect(await refused("none.txt")).toContain("but nothing is there");
    expect(await refused("../secret.txt")).toContain(`expected a file inside of ${project}`);
    expect(await refused("link.txt")).toContain(`got ${join(folder.path, "secret.txt")}`);
    expect(await refused("large.txt")).toContain("at most 1048576 bytes");
    expect(await refused("folder")).toContain("Expected a regular file");
    expect(await refused("")).toContain("expected the path of a file");
  });
});
