import { describe, expect, test } from "vitest";
import type { CadreOptions } from "../../../src/index.ts";
import { toolCall, lookup, runWithTools, startCaller } from "../../fixtures/own-tools.ts";
import { createModelProject } from "../../fixtures/project.ts";

describe("permissions of a tool of the program", () => {
  const pay = { name: "pay", description: "pays", execute: () => "paid" };
  const asked: string[] = [];
  const options: CadreOptions = {
    mode: "ask",
    onApproval: async ({ title }) => (asked.push(title), { decision: "deny" }),
  };

  test("default to a question that shows the arguments; those that only read need none", async () => {
    asked.length = 0;
    const { text } = await runWithTools(
      [pay, lookup],
      [toolCall("pay", { to: "Ada" }), toolCall("lookup", { customer: "A" })],
      options,
    );
    expect(asked).toEqual(['pay {"to":"Ada"}']);
    expect(text).toContain("Permission denied for pay");
    expect(text).toContain('"total":42');
  });

  test.each(["plan", "read-only", "deny"] as const)("deny it in mode %s", async (mode) => {
    const { text } = await runWithTools([pay], [toolCall("pay")], { mode });
    expect(text).toContain(`Permission denied for pay {}: mode ${mode}`);
  });

  const modes = ["ask", "accept-edits", "plan", "read-only", "deny", "auto"] as const;
  test.each([
    ["none", "allowed allowed allowed allowed allowed allowed"],
    ["read", "allowed allowed allowed allowed allowed allowed"],
    ["network", "asked asked asked asked denied allowed"],
    ["edit", "asked allowed denied denied denied allowed"],
    ["execute", "asked asked denied denied denied allowed"],
  ] as const)("follow the access %s in every mode", async (access, expected) => {
    const seen: string[] = [];
    for (const mode of modes) {
      asked.length = 0;
      const { text } = await runWithTools([{ ...pay, access }], [toolCall("pay")], {
        ...options,
        mode,
      });
      seen.push(asked.length > 0 ? "asked" : text === "paid" ? "allowed" : "denied");
    }
    expect(seen.join(" ")).toBe(expected);
  });

  test("let an agent's rules name its arguments", async () => {
    asked.length = 0;
    const rules = { allow: ["pay(to:A*)"], ask: [], deny: ["pay(to:Alan)"] };
    const agent = {
      name: "payer",
      description: "pays",
      systemPrompt: "You are payer.",
      permissions: rules,
    };
    const server = await startCaller(
      toolCall("pay", { to: "Ada" }),
      toolCall("pay", { to: "Alan" }),
      toolCall("pay", { to: "Bob" }),
    );
    const cadre = await createModelProject(server).open({
      ...options,
      mode: "auto",
      tools: [pay],
      agents: [agent],
    });
    const { text } = await (await cadre.spawn({ agent: "payer", task: "go" })).result();
    expect(text).toContain('paid\nPermission denied for pay {"to":"Alan"}: rule pay(to:Alan)');
  });

  test("let the configuration name it, and call a misspelt name an error", async () => {
    const server = await startCaller(toolCall("pay", { to: "Ada" }));
    const project = createModelProject(server);
    project.write(".cadre/config.yaml", 'permissions: { deny: ["pay(to:Ada)"] }');
    const cadre = await project.open({ tools: [pay] });
    expect(cadre.configuration.diagnostics).toEqual([]);
    const { text } = await (await cadre.spawn({ agent: "main", task: "go" })).result();
    expect(text).toContain("rule pay(to:Ada)");
    project.write(".cadre/config.yaml", 'permissions: { deny: ["payy(to:Ada)"] }');
    const [problem] = (await project.open({ tools: [pay] })).configuration.diagnostics;
    expect(problem?.message).toContain(
      "There is no tool payy, so this rule would match nothing. Did you mean `pay`?",
    );
  });

  test("let a request name it, and refuse a misspelt name", async () => {
    const cadre = await createModelProject(await startCaller(toolCall("pay", { to: "Ada" }))).open({
      tools: [pay],
    });
    const request = { agent: "main", task: "go" };
    const { text } = await cadre.run({ ...request, permissions: { deny: ["pay(to:Ada)"] } });
    expect(text).toContain("rule pay(to:Ada)");
    const misspelt = cadre.run({ ...request, permissions: { deny: ["payy"] } });
    await expect(misspelt).rejects.toThrow("Did you mean `pay`?");
  });

  test("hooks change its arguments, which its schema checks again", async () => {
    const calls = [
      toolCall("lookup", { customer: "Ada" }),
      toolCall("lookup", { customer: "Bob" }),
    ];
    const { text } = await runWithTools([lookup], calls, {
      hooks: [
        {
          beforeTool: ({ title }) =>
            title.includes("Ada") ? { input: { customer: "Eve" } } : { input: { customer: 7 } },
        },
      ],
    });
    expect(text).toContain('"customer":"Eve"');
    expect(text).toContain("The arguments of lookup are not valid:\n- customer:");
  });
});
