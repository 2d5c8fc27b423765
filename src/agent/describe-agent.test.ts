import { expect, test } from "vitest";
import { createMainAgent } from "./builtin.ts";
import { explainAgent } from "./describe-agent.ts";
import { parseNative } from "./native.ts";

test("each field says the line it came from, or that it is a default", () => {
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

test("the built-in agent has every tool and every agent, and a prompt", () => {
  const main = createMainAgent();
  expect(main).toMatchObject({ name: "main", timeoutSeconds: 3600, maxTurns: 200 });
  expect(main).not.toHaveProperty("tools");
  expect(main).not.toHaveProperty("agents");
  expect(main.systemPrompt.length).toBeGreaterThan(500);
  expect(explainAgent(main).find(({ field }) => field === "systemPrompt")?.origin).toBe("built in");
});
