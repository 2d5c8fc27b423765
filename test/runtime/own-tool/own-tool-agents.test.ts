import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type OwnToolContext } from "../../../src/index.ts";
import type { ElicitRequest } from "../../../src/host.ts";
import { agentCall, startModelServer } from "../../fixtures/model-server.ts";
import { toolCall, lookup, runWithTools, startCaller } from "../../fixtures/own-tools.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

describe("agents and tools of the program", () => {
  test("an agent has those that its list names, and a sub-agent no more than its parent", async () => {
    const server = await startModelServer(({ agent, turn }) =>
      agent === "boss" && turn === 0
        ? [agentCall("clerk", "go"), agentCall("guest", "go")]
        : "done",
    );
    const project = createModelProject(server);
    project.writeAgent("boss", { tools: ["Agent", "lookup"] });
    project.writeAgent("clerk", { tools: "lookup(customer:A*), file" });
    project.writeAgent("guest", { disallowedTools: ["lookup"] });
    const file = { name: "file", description: "files", execute: () => "filed" };
    const cadre = await project.open({ tools: [lookup, file] });
    const { agents } = await cadre.agents();
    const clerk = agents.find(({ name }) => name === "clerk");
    expect(clerk).toMatchObject({ tools: ["lookup", "file"], diagnostics: [] });
    expect(clerk?.permissions?.ordered).toContainEqual({
      decision: "allow",
      rule: "lookup(customer:A*)",
    });
    await (await cadre.spawn({ agent: "boss", task: "go" })).result();
    const offered = (name: string): string[] | undefined =>
      server.turns.find(({ agent }) => agent === name)?.tools.toSorted();
    expect(offered("boss")).toEqual(["Agent", "lookup"]);
    expect(offered("clerk")).toEqual(["lookup"]);
    expect(offered("guest")).toEqual(["Agent"]);
  });

  test("budgets count its calls", async () => {
    const calls = [toolCall("lookup", { customer: "a" }), toolCall("lookup", { customer: "b" })];
    const project = createModelProject(await startCaller(...calls));
    const cadre = await project.open({ tools: [lookup] });
    const handle = await cadre.spawn({ agent: "main", task: "go", budget: { toolCalls: 1 } });
    expect(await handle.result()).toMatchObject({
      failure: { code: "budget-exceeded" },
      toolCalls: 1,
    });
  });

  test("its question reaches the user from depth 2, and its delegation is a child in the tree", async () => {
    const asker = defineTool({
      name: "confirm",
      description: "asks the user",
      input: z.object({}),
      async execute(_, { ask, delegate, stepKey, agent }) {
        const answer = await ask("Which color?");
        const { text } = await delegate({ agent: "painter", task: JSON.stringify(answer) });
        return { text, stepKey, agent };
      },
    });
    const server = await startModelServer(({ agent, turn, last, task }) => {
      if (agent === "painter") return `painted ${task}`;
      if (turn > 0) return last.join();
      return agent === "low"
        ? [toolCall("confirm")]
        : [agentCall(agent === "main" ? "middle" : "low", "go")];
    });
    const project = createModelProject(server);
    for (const name of ["middle", "low", "painter"]) project.writeAgent(name);
    const requests: ElicitRequest[] = [];
    const cadre = await project.open({
      tools: [asker],
      async onElicit(request) {
        requests.push(request);
        return { action: "accept", content: { answer: "blue" } };
      },
    });
    const handle = await cadre.spawn({ agent: "main", task: "go" });
    const { text } = await handle.result();
    const family = await cadre.tree(handle.id);
    const low = family.find(({ agent }) => agent === "low");
    const painter = family.find(({ agent }) => agent === "painter");
    expect(requests).toEqual([
      expect.objectContaining({
        extension: "confirm",
        message: "Which color?",
        callers: [
          {
            runId: low?.id,
            stepKey: "tool/1/0",
            tool: "confirm",
            chain: ["main", "middle", "low"],
          },
        ],
      }),
    ]);
    expect(painter).toMatchObject({ parentId: low?.id, depth: 3, status: "succeeded" });
    expect(JSON.parse(text)).toEqual({
      text: 'painted {"action":"accept","content":{"answer":"blue"}}',
      stepKey: `${low?.id}/tool/1/0`,
      agent: "low",
    });
  });

  test("without a handler its question is declined, and a request that fails is an error it can catch", async () => {
    const asker = {
      name: "asker",
      description: "asks",
      async execute(_: unknown, { ask, delegate }: OwnToolContext) {
        const { action } = await ask("Well?");
        const failure = await delegate({ agent: "nobody", task: "go" }).catch(String);
        return [action, failure];
      },
    };
    const { text } = await runWithTools([asker], [toolCall("asker")]);
    expect(text).toMatch(/^\["decline","CadreError: .*nobody/);
  });

  inThisProcess("A worker lacks what a program adds later.")(
    "can be added later, with agents, for runs that begin then",
    async () => {
      const server = await startModelServer(({ turn, last }) =>
        turn === 0 ? [toolCall("lookup", { customer: "Ada" })] : last.join("\n"),
      );
      const project = createModelProject(server);
      project.writeAgent("clerk", { tools: ["lookup"] });
      const cadre = await project.open();
      const before = await (await cadre.spawn({ agent: "clerk", task: "go" })).result();
      expect(before.text).toContain("There is no tool lookup");
      await cadre.addTool(lookup);
      cadre.addAgent({
        name: "late",
        description: "late",
        systemPrompt: "You are late.",
        tools: ["lookup"],
      });
      for (const agent of ["clerk", "late"]) {
        const { text } = await (await cadre.spawn({ agent, task: "go" })).result();
        expect(text).toContain('"total":42');
      }
      expect(() => cadre.addAgent({ name: "late", description: "late", run: () => "x" })).toThrow(
        "two agents have this one",
      );
      await expect(cadre.addTool({ ...lookup, name: "Lookup" })).rejects.toThrow(
        "Lookup: another tool has this name",
      );
    },
  );
});
