import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  firstEvent,
  inRecipes,
  type RunCallsOptions,
  runCalls,
  subagent,
} from "../../fixtures/delegation/subagent-calls.ts";
import { onFiles } from "../../fixtures/postgres/on-files.ts";
import { mcpServer } from "../../fixtures/process/bundled-program.ts";

describe("extensions", () => {
  const config = (name: string, more = ""): string =>
    `extensions:\n  ${name}:\n    command: ${process.execPath}\n    args: [${mcpServer}]\n${more}`;
  const place = (text: string): RunCallsOptions => ({
    options: { trust: true },
    files: { ".cadre/config.yaml": text },
    others: ({ tools }) =>
      `has ${tools.filter((name) => name.includes("echo") || name === "Bash").join()}`,
  });

  test("are those of the parent without a list, none with an empty list, otherwise the named ones", async () => {
    const { received } = await runCalls(
      [
        subagent({ instructions: "all" }),
        subagent({ instructions: "none", extensions: [] }),
        subagent({ instructions: "one", extensions: ["test"] }),
        subagent({ instructions: "own", extensions: ["developer"] }),
      ],
      place(config("test")),
    );
    expect(received).toEqual([
      "has Bash,mcp__test__echo",
      "has ",
      "has mcp__test__echo",
      "has Bash",
    ]);
  });

  describe("that a call names", () => {
    const recipe = (extensions: string, more = ""): string => `
version: 1.0.0
title: Work
description: Works
prompt: Work.
extensions: [${extensions}]
${more}`;
    const own = `{ type: stdio, name: own, cmd: ${process.execPath}, args: [${mcpServer}] }`;
    const reads = "{ type: builtin, name: developer, available_tools: [shell] }";
    const sub = "sub_recipes: [{ name: both, path: ./both.yaml }, { name: own, path: ./own.yaml }]";
    const files = {
      [inRecipes("own.yaml")]: recipe(own),
      ".cadre/config.yaml": config("test"),
      ".cadre/agents/reader.md":
        "---\nname: reader\ndescription: reads\ntools: Read, Bash, mcp__test__echo\n---\nYou are reader.\n",
      [inRecipes("code.yaml")]: recipe("{ type: builtin, name: developer }"),
      [inRecipes("shell.yaml")]: recipe(reads),
      [inRecipes("both.yaml")]: recipe(`{ type: builtin, name: developer }, ${own}`),
      [inRecipes("lead.yaml")]: recipe(reads, sub).replace("Work.", "Lead."),
    };
    const has = (names: readonly string[]): string => `has ${names.join()}`;
    const others: RunCallsOptions["others"] = ({ tools }) =>
      has(tools.filter((name) => /echo|Bash|Read|Grep/.test(name)));

    test.each([
      {
        why: "the parent's for its own",
        recipe: "code",
        extensions: ["test"],
        tools: ["mcp__test__echo"],
      },
      { why: "one of its own", recipe: "both", extensions: ["own"], tools: ["mcp__own__echo"] },
      {
        why: "both",
        recipe: "both",
        extensions: ["own", "test"],
        tools: ["mcp__own__echo", "mcp__test__echo"],
      },
      {
        why: "what its file says of it",
        recipe: "shell",
        extensions: ["developer"],
        tools: ["Bash"],
      },
      { why: "none", recipe: "both", extensions: [], tools: [] },
    ])(
      "give a recipe $why, without a warning",
      async ({ recipe: subrecipe, extensions, tools }) => {
        const call = subagent({ subrecipe, extensions });
        const { received } = await runCalls([call], { ...place(""), files, others });
        expect(received).toEqual([has(tools)]);
      },
    );

    test("give an agent those of its own tools, and report those it may not use", async () => {
      const { received } = await runCalls(
        [
          subagent({ agent: "reader", instructions: "x", extensions: ["developer"] }),
          subagent({ agent: "reader", instructions: "x", extensions: ["test"] }),
          subagent({ agent: "reader", instructions: "x", extensions: ["skills"] }),
        ],
        { ...place(""), files, others },
      );
      expect(received.slice(0, 2)).toEqual([has(["Read", "Bash"]), has(["mcp__test__echo"])]);
      expect(received[2]).toBe(
        `${has([])}\n\n[Warning: Agent reader was given no tools of the extension skills: its own are Read, Bash, mcp__test__echo.]`,
      );
    });

    test("give a sub-recipe the extensions of its own list, and the parent's tools of the parent's extensions", async () => {
      const calls = [
        subagent({ subrecipe: "both", extensions: ["developer"] }),
        subagent({ subrecipe: "own", extensions: ["developer"], instructions: "more" }),
      ];
      const lead = { agent: "lead", task: "Lead." };
      const { received } = await runCalls(calls, { ...place(""), files, others, ...lead });
      expect(received).toEqual([has(["Read", "Bash", "Grep"]), has(["Bash"])]);
    });
  });

  test("of a Copilot agent are its own and those of the parent, which its tools may name without a prefix", async () => {
    const server = `own: { type: local, command: ${process.execPath}, args: [${mcpServer}] }`;
    const header = `description: d\nmcp-servers: { ${server} }`;
    const { received } = await runCalls(
      [
        { tool: "Agent", input: { type: "all", prompt: "x" } },
        { tool: "Agent", input: { type: "some", prompt: "x" } },
      ],
      {
        ...place(config("test")),
        files: {
          ".cadre/config.yaml": config("test"),
          ".github/agents/all.agent.md": `---\n${header}\n---\nBody.`,
          ".github/agents/some.agent.md": `---\n${header}\ntools: [execute, own]\n---\nBody.`,
        },
      },
    );
    expect(received).toEqual([
      "has Bash,mcp__test__echo,mcp__own__echo",
      "has Bash,mcp__own__echo",
    ]);
  });

  test("may have any name, which their tools have in a form that providers accept", async () => {
    const name = `GitHub (${"long ".repeat(20)})`;
    const recipe = `
version: 1.0.0
title: Echo
description: Echoes
prompt: Echo it.
extensions:
  - { type: stdio, name: "${name}", cmd: ${process.execPath}, args: [${mcpServer}] }
`;
    const { received } = await runCalls(
      [subagent({ subrecipe: "echo" }), subagent({ instructions: "x", extensions: [name] })],
      {
        ...place(config(JSON.stringify(name))),
        files: {
          ".cadre/config.yaml": config(JSON.stringify(name)),
          [inRecipes("echo.yaml")]: recipe,
        },
      },
    );
    const tool = "mcp__GitHub_long_long_long_long_long_long_lon__echo";
    expect(received).toEqual([`has ${tool}`, `has ${tool}`]);
  });

  test("are called by the model, and started once for a family", async () => {
    const call = { tool: "mcp__test__process", input: {} };
    const { received } = await runCalls(
      [subagent({ instructions: "a" }), subagent({ instructions: "b" })],
      {
        ...place(config("test")),
        others: ({ turn, last }) => (turn === 0 ? [call] : last.join()),
      },
    );
    expect(received[0]).toMatch(/\d+/);
    expect(received[0]).toBe(received[1]);
  });

  test("that cannot be started fail the run with a message that names them", async () => {
    const text = "extensions:\n  broken:\n    command: /nowhere/server\n";
    const { result } = await runCalls([], place(text));
    expect(result).toMatchObject({ status: "failed", failure: { code: "tool-unavailable" } });
    expect(result.failure?.message).toContain("broken");
  });

  onFiles("of a recipe are its agent's, and their secrets are in no journal", async () => {
    const recipe = `
version: 1.0.0
title: Echo
description: Echoes
prompt: Echo it.
extensions:
  - { type: stdio, name: mine, cmd: ${process.execPath}, args: [${mcpServer}], envs: { KEY: hunter2 } }
`;
    const { received, cadre, children } = await runCalls([subagent({ subrecipe: "echo" })], {
      ...place(""),
      files: { [inRecipes("echo.yaml")]: recipe },
    });
    expect(received).toEqual(["has mcp__mine__echo"]);
    const events = JSON.stringify(await firstEvent(cadre, children[0]));
    expect(events).toContain('"name":"mine"');
    expect(events).not.toContain("hunter2");
    for (const file of ["cadre.db", "cadre.db-wal"]) {
      expect(readFileSync(join(cadre.stateFolder, file)).includes("hunter2")).toBe(false);
    }
  });

  test("leave no file, and those of an earlier version are removed", async () => {
    const { cadre } = await runCalls([subagent({ instructions: "x" })], place(config("test")));
    const folder = join(cadre.stateFolder, "extensions");
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    writeFileSync(join(folder, `${"0".repeat(64)}.json`), '{"headers":{"key":"hunter2"}}');
    await cadre.prune(60_000);
    expect(existsSync(folder)).toBe(false);
  });

  test("of a recipe in an untrusted folder are not started, and the message says what would have started", async () => {
    const recipe = `
version: 1.0.0
title: Echo
description: Echoes
prompt: Echo it.
extensions:
  - { type: stdio, name: mine, cmd: evil-command, args: [] }
`;
    const { received } = await runCalls([subagent({ subrecipe: "echo" })], {
      files: { [inRecipes("echo.yaml")]: recipe },
    });
    expect(received[0]).toContain("not trusted");
    expect(received[0]).toContain("evil-command");
  });
});
