import { describe, expect, test } from "vitest";
import {
  checkRecipe,
  createRecipeFolder,
  expectPrepared,
  declareParameters,
  positionsOf,
  recipeText,
} from "../../../test/fixtures/recipe-folder.ts";

const everything = `
version: "1.0.0"
title: Everything
description: Has every field
author: { contact: somebody, metadata: some }
activities: ["message: hello {{ who }}", Do it]
context: [More to know]
instructions: Be {{ mood }}.
prompt: |
  Greet {{ who }}.
parameters:
  - { key: who, input_type: string, requirement: required, description: whom }
  - { key: mood, input_type: select, options: [kind, curt], default: kind, requirement: optional, description: how }
  - { key: log, input_type: file, requirement: user_prompt, description: what happened }
extensions:
  - { type: builtin, name: developer, display_name: Developer, timeout: 300, bundled: true }
  - type: stdio
    name: fs
    cmd: npx
    args: [-y, server, "{{ log }}"]
    envs: { LEVEL: debug }
    env_keys: [TOKEN]
    timeout: 60
    available_tools: [read_file, fs__list]
  - { type: streamable_http, name: far away, uri: "https://example.com/mcp", headers: { X: "\${TOKEN}" } }
settings: { goose_provider: Anthropic, goose_model: claude-x, temperature: 0.5, max_turns: 7 }
response: { json_schema: { type: object, properties: { ok: { type: boolean } } } }
retry:
  max_retries: 2
  checks: [{ type: shell, command: "test -f out" }]
  on_failure: rm -f out
  timeout_seconds: 10
  on_failure_timeout_seconds: 20
`;

describe("a recipe", () => {
  test("is read with every field that goose has", async () => {
    const { recipe, diagnostics } = await createRecipeFolder({ "recipe.yaml": everything }).load();
    expect(diagnostics).toEqual([]);
    expect(recipe).toMatchObject({
      name: "everything",
      title: "Everything",
      author: { contact: "somebody", metadata: "some" },
      activities: ["message: hello {{ who }}", "Do it"],
      context: ["More to know"],
      instructions: "Be {{ mood }}.",
      prompt: "Greet {{ who }}.\n",
      parameters: [
        { key: "who", inputType: "string", requirement: "required" },
        { key: "mood", inputType: "select", options: ["kind", "curt"], default: "kind" },
        { key: "log", inputType: "file", requirement: "user_prompt" },
      ],
      settings: { provider: "Anthropic", model: "claude-x", temperature: 0.5, maxTurns: 7 },
      outputSchema: { type: "object" },
      retry: {
        maxRetries: 2,
        onFailure: "rm -f out",
        timeoutSeconds: 10,
        onFailureTimeoutSeconds: 20,
      },
    });
    expect(recipe?.extensions).toEqual([
      { kind: "builtin", name: "developer" },
      {
        kind: "server",
        config: {
          name: "fs",
          format: "recipe",
          type: "stdio",
          command: "npx",
          args: ["-y", "server", "{{ log }}"],
          environment: { LEVEL: "debug" },
          environmentKeys: ["TOKEN"],
          timeoutSeconds: 60,
          allow: ["read_file", "list"],
        },
      },
      {
        kind: "server",
        config: {
          name: "far_away",
          format: "recipe",
          type: "streamable_http",
          url: "https://example.com/mcp",
          headers: { X: "${TOKEN}" },
        },
      },
    ]);
  });

  test("gives its servers values that replace variables", async () => {
    const text = recipeText(`prompt: go
extensions: [{ type: stdio, name: s, cmd: c, envs: { A: one }, env_keys: [A, B] }]
`);
    const { recipe } = await createRecipeFolder({ "recipe.yaml": text }).load();
    expect(recipe?.extensions).toMatchObject([
      { config: { environment: { A: "one" }, environmentKeys: ["B"] } },
    ]);
  });

  test("reads numbers and booleans as written where it expects text", async () => {
    const text = `version: 1.10
title: 2.0
description: True
prompt: "{{ v }} {{ flag }}"
activities: [1.0]
parameters:
  - {key: v, input_type: string, requirement: optional, default: 1.10, description: d}
  - {key: flag, input_type: select, requirement: optional, default: True, options: [True, 007], description: d}
`;
    for (const more of ["", "{% if v %}\n{% endif %}\n"]) {
      const folder = createRecipeFolder({ "recipe.yaml": text + more });
      const { recipe, diagnostics } = await folder.load();
      expect(diagnostics).toEqual([]);
      expect(recipe).toMatchObject({
        version: "1.10",
        title: "2.0",
        description: "True",
        activities: ["1.0"],
        parameters: [{ default: "1.10" }, { default: "True", options: ["True", "007"] }],
      });
      expect(expectPrepared(await folder.prepare())).toMatchObject({
        title: "2.0",
        task: "1.10 True",
        activities: ["1.0"],
      });
    }
  });

  test("may name variables of a header or URL in both forms that goose has", async () => {
    const text = recipeText(`prompt: go
extensions:
  - type: streamable_http
    name: hub
    uri: https://$HOST.example.com/\${ PLACE }
    headers: { Authorization: "Bearer $KEY", Other: "$KEYS \${KEY} $5" }
    envs: { PLACE: mcp }
    env_keys: [KEY, HOST]
`);
    const { recipe, diagnostics } = await createRecipeFolder({ "recipe.yaml": text }).load();
    expect(diagnostics).toEqual([]);
    expect(recipe?.extensions).toMatchObject([
      {
        config: {
          url: "https://${HOST}.example.com/mcp",
          headers: { Authorization: "Bearer ${KEY}", Other: "$KEYS ${KEY} $5" },
          environmentKeys: ["KEY", "HOST"],
        },
      },
    ]);
  });

  test("is read from JSON too, and from below `recipe:`, as goose's desktop writes it", async () => {
    const recipe = {
      title: "Nested",
      description: "d",
      prompt: "do {{ it }}",
      parameters: [{ key: "it", input_type: "string", requirement: "required", description: "x" }],
    };
    const folder = createRecipeFolder({
      "a.json": JSON.stringify(
        { name: "n", recipe, isGlobal: true, lastModified: "2025", isArchived: false },
        null,
        "\t",
      ),
      "b.yaml": "name: n\nrecipe:\n  title: Nested\n  description: d\n  prompt: do {{ that }}\n",
    });
    const json = await folder.load("a.json");
    expect(json).toMatchObject({ diagnostics: [], recipe: { title: "Nested", name: "a" } });
    expect(positionsOf((await folder.load("b.yaml")).diagnostics)).toEqual([
      "5:17 error parameter-undeclared",
    ]);
  });

  test("is named after its file, or its title if the file is recipe.yaml", async () => {
    const text = recipeText("prompt: x\n");
    const folder = createRecipeFolder({ "recipe.yaml": text, "Code_Review.recipe.yaml": text });
    expect((await folder.load()).recipe?.name).toBe("test");
    expect((await folder.load("Code_Review.recipe.yaml")).recipe?.name).toBe("code-review");
  });
});

describe("a recipe that is valid YAML only after filling", () => {
  test("is read before filling: expressions stay, conditions see no values", async () => {
    const text = `${recipeText("prompt: |\n  a {{ x }}\n{% if y %}\n  b\n{% endif %}\n")}${declareParameters("x", "y")}`;
    const { recipe, diagnostics } = await createRecipeFolder({ "recipe.yaml": text }).load();
    expect(diagnostics).toEqual([]);
    expect(recipe).toMatchObject({ prompt: "a {{ x }}\n", template: { kind: "whole" } });
  });

  test("reports problems with the lines of the written file", async () => {
    const text = recipeText("{% if false %}\na: b\n{% endif %}\nprompt: {{ x }}\nextnsions: []\n");
    expect(positionsOf(await checkRecipe(text))).toEqual([
      "8:1 warning unknown-key",
      "7:12 error parameter-undeclared",
    ]);
  });

  test("may extend another one, as goose documents it", async () => {
    const parent = `${recipeText("prompt: |\n  {% block prompt %}\n  Default {{ x }}\n  {% endblock %}\n")}${declareParameters("x")}`;
    const files = {
      "parent.yaml": parent,
      "recipe.yaml":
        '{% extends "parent.yaml" %}\n{% block prompt %}\nModified {{ x }}\n{% endblock %}\n',
    };
    const { recipe, diagnostics } = await createRecipeFolder(files).load();
    expect(diagnostics).toEqual([]);
    expect(recipe?.prompt?.trim()).toBe("Modified {{ x }}");
  });
});

test("a file that is not a recipe is a finding, never an exception", async () => {
  const folder = createRecipeFolder({
    "empty.yaml": "",
    "list.yaml": "- a\n- b\n",
    "text.yaml": "just text",
    "binary.yaml": "\u0000\u0001\u0002",
    "large.yaml": `title: "${"x".repeat(1024 * 1024)}"`,
  });
  for (const name of ["empty", "list", "text", "binary", "large", "missing"]) {
    const { recipe, diagnostics } = await folder.load(`${name}.yaml`);
    expect(recipe).toBeNull();
    expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  }
});
