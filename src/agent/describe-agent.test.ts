import { expect, test } from "vitest";
import { createMainAgent } from "./definition/builtin.ts";
import { parseCodex } from "./codex/codex.ts";
import { explainAgent } from "./describe-agent.ts";
import { parseGemini } from "./gemini/gemini.ts";
import { parseNative } from "./native/native.ts";

test("every field has its line as origin, or that it is a default", () => {
  const text = "---\nname: a\ndescription: x\nmax_turns: 3\ntools: Agent(b)\n---\n\nBody.";
  const definition = parseNative({ path: "/p/a.md", text, scope: "project" });
  const rows = explainAgent(definition);
  const origin = (field: string): string | undefined =>
    rows.find((row) => row.field === field)?.origin;
  expect(origin("name")).toBe("/p/a.md:2");
  expect(origin("maxTurns")).toBe("/p/a.md:4");
  expect(origin("agents")).toBe("/p/a.md:5");
  expect(origin("systemPrompt")).toBe("/p/a.md:8");
  expect(origin("timeoutSeconds")).toBe("default");
  expect(rows).toContainEqual({ field: "model", value: "the parent's", origin: "default" });
  expect(new Set(rows.map(({ field }) => field)).size).toBe(rows.length);
});

test("values from another file and defaults of another program are distinguished from Cadre's defaults", () => {
  const gemini = parseGemini({
    path: "/p/a.md",
    text: "---\nname: a\ndescription: x\nmax_turns: 9\n---\nBody.",
    scope: "project",
  });
  expect(explainAgent(gemini)).toEqual(
    expect.arrayContaining([
      { field: "maxTurns", value: 9, origin: "/p/a.md:4" },
      { field: "timeoutSeconds", value: 600, origin: "default of gemini" },
      { field: "temperature", value: "the provider's", origin: "default" },
    ]),
  );
  const role = { name: "a", description: "x", origin: "/p/config.toml:3" };
  const file = {
    path: "/p/a.toml",
    text: 'developer_instructions = "i"',
    scope: "project",
  } as const;
  expect(explainAgent(parseCodex(file, role))).toContainEqual({
    field: "description",
    value: "x",
    origin: "/p/config.toml:3",
  });
});

test("the built-in agent has every tool and every agent, and a prompt", () => {
  const main = createMainAgent();
  expect(main).toMatchObject({ name: "main", timeoutSeconds: 3600, maxTurns: 200 });
  expect(main).not.toHaveProperty("tools");
  expect(main).not.toHaveProperty("agents");
  expect(main.systemPrompt.length).toBeGreaterThan(500);
  expect(explainAgent(main).find(({ field }) => field === "systemPrompt")?.origin).toBe("built in");
});

test("settings that a runner decides have the runner's defaults", () => {
  const text = "---\nname: a\ndescription: x\nrunner: acp:agent\n---\nBody.";
  const rows = explainAgent(parseNative({ path: "/p/a.md", text, scope: "project" }));
  expect(rows).toContainEqual({ field: "runner", value: "acp:agent", origin: "/p/a.md:4" });
  expect(rows).toContainEqual({ field: "model", value: "the runner's", origin: "default" });
});
