import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../../src/index.ts";
import { hang } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { createConversationFixture } from "../../fixtures/delegation/conversation-fixture.ts";
import { onFiles } from "../../fixtures/postgres/on-files.ts";

describe("rights of the next turn", () => {
  test("are those that are granted now, without a wider mode and without a narrower one", async () => {
    const { project, cadre } = await createConversationFixture(({ last }) =>
      last[0] === "write" ? [{ tool: "Write", input: { file_path: "a", content: "x" } }] : "fine",
    );
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    await cadre.close();
    const strict = await project.open({ mode: "read-only" });
    const second = await (await strict.find(first.id)).continue("write");
    await second.result();
    expect(JSON.stringify(await second.journal())).toContain("Permission denied");
    await strict.close();
    const wide = await project.open({ mode: "auto" });
    const third = await (await wide.find(second.id)).continue("write");
    await third.result();
    expect(JSON.stringify(await third.journal())).not.toContain("Permission denied");
  });

  test("keep what the request of the first turn restricted", async () => {
    const { cadre } = await createConversationFixture(({ last }) =>
      last[0] === "write" ? [{ tool: "Write", input: { file_path: "a", content: "x" } }] : "fine",
    );
    const permissions = { deny: ["Write"] };
    const first = await cadre.spawn({ agent: "boss", task: "one", permissions, tools: ["Write"] });
    await first.result();
    const second = await first.continue("write");
    await second.result();
    expect(JSON.stringify(await second.journal())).toContain("Permission denied");
    const third = await second.continue({ task: "write", permissions: {} });
    await third.result();
    expect(JSON.stringify(await third.journal())).not.toContain("Permission denied");
  });

  test("come with the definition as it is now", async () => {
    const { server, project, cadre } = await createConversationFixture();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    await cadre.close();
    project.writeAgent("boss", { tools: ["Read"] }, "Be brief.");
    const again = await project.open();
    await (await (await again.find(first.id)).continue("two")).result();
    expect(server.turns.at(-1)?.system).toContain("Be brief.");
    expect(server.turns.at(-1)?.tools).toEqual(["Read"]);
  });

  test("allow a model that reads a file only if the request, or the program, names it", async () => {
    const { project, cadre } = await createConversationFixture();
    const [model, other] = ["scripted:one.yaml", "scripted:other.yaml"];
    project.write("one.yaml", "scripts: [{ reply: { text: one } }]");
    project.write("other.yaml", "scripts: [{ reply: { text: other } }]");
    const first = await cadre.spawn({ agent: "boss", task: "one", model });
    expect(await first.result()).toMatchObject({ text: "one" });
    await expect(first.continue("two")).rejects.toThrow(`reads or writes a file: ${model}`);
    await expect(first.continue({ task: "two", fallbacks: [other] })).rejects.toThrow(model);
    const second = await first.continue({ task: "two", model: other, fallbacks: [model] });
    expect(await second.result()).toMatchObject({ text: "other" });
    await expect(second.continue({ task: "three", model: other })).rejects.toThrow(model);
    const third = await second.continue({ task: "three", model: "mock:mock", fallbacks: [] });
    expect(await third.result()).toMatchObject({ text: "answer 3" });
    await cadre.close();
    const again = await project.open({ model: other, fallbacks: [model] });
    const fourth = await (await again.find(second.id)).continue({ task: "four" });
    expect(await fourth.result()).toMatchObject({ text: "answer 4" });
  });

  test("belong to another agent when the request names one", async () => {
    const { server, project, cadre } = await createConversationFixture();
    project.writeAgent("other");
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue({ task: "two", agent: "other" });
    await second.result();
    expect(server.turns.at(-1)).toMatchObject({ agent: "other" });
    expect(server.turns.at(-1)?.messages).toHaveLength(3);
    expect(await cadre.conversations()).toMatchObject([{ agent: "other", turns: 2 }]);
  });
});

describe("the agent of the next turn", () => {
  test("is that of the request where it is in no file, and the filled recipe", async () => {
    const { server, project, cadre } = await createConversationFixture();
    const own = { name: "guest", description: "x", systemPrompt: "You are guest." };
    const first = await cadre.spawn({ agent: own, task: "one" });
    await first.result();
    await (await first.continue("two")).result();
    expect(server.turns.at(-1)).toMatchObject({ agent: "guest", turn: 1 });
    project.write(
      ".cadre/recipes/greet.yaml",
      "version: 1.0.0\ntitle: Greet\ndescription: Greets\ninstructions: You are greeter. Greet {{ who }}.\nprompt: Greet them.\nparameters:\n  - { key: who, input_type: string, requirement: required, description: who }\n",
    );
    const again = await project.open();
    const filled = await again.spawn({ agent: "greet", parameters: { who: "Ada" } });
    await filled.result();
    await (await filled.continue("and again")).result();
    expect(server.turns.at(-1)?.system).toContain("Greet Ada.");
    expect(server.turns.at(-1)?.messages).toEqual([
      "user: Greet them.",
      "assistant: answer 1",
      "user: and again",
    ]);
  });

  test("keeps its task where its instructions name it", async () => {
    const { server, project } = await createConversationFixture();
    project.writeAgent("namer", {}, "Your task: {{task}}");
    const cadre = await project.open();
    const first = await cadre.spawn({ agent: "namer", task: "the first" });
    await first.result();
    await (await first.continue("the second")).result();
    expect(server.turns.at(-1)?.system).toContain("Your task: the first");
  });
});

describe("a failed turn", () => {
  test("is retried in its conversation, which goes on after the retry", async () => {
    let isBroken = true;
    const { server, cadre } = await createConversationFixture(({ last }) =>
      last.at(-1) === "two" && isBroken ? [{ tool: "LS", input: {} }] : `to ${last.at(-1)}`,
    );
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue({ task: "two", maxTurns: 1 });
    expect(await second.result()).toMatchObject({ status: "failed" });
    isBroken = false;
    const retry = await cadre.retry(second.id);
    expect(await retry.result()).toMatchObject({ text: "to two" });
    await (await first.continue("three")).result();
    expect(server.turns.at(-1)?.messages).toEqual([
      "user: one",
      "assistant: to one",
      "user: two",
      "assistant: to two",
      "user: three",
    ]);
    expect(await cadre.conversations()).toMatchObject([{ id: first.id, turns: 4 }]);
  });
});

describe("a run that cannot be continued", () => {
  test("is one that is active", async () => {
    const { server, cadre } = await createConversationFixture(() => hang);
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await server.hung(1);
    await expect(run.continue("two")).rejects.toThrow(/is active \(running\).*cadre send/);
  });

  test("is one that another run currently continues", async () => {
    const { server, cadre } = await createConversationFixture(({ last }) =>
      last[0] === "two" ? hang : "fine",
    );
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    const [one, other] = await Promise.allSettled([run.continue("two"), run.continue("three")]);
    expect(one.status).toBe("fulfilled");
    expect(String(other.status === "rejected" && other.reason)).toContain("is active");
    await server.hung(1);
  });

  test("is one without a text to go on with", async () => {
    const { cadre } = await createConversationFixture();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    await expect(run.continue(" \n")).rejects.toThrow("expected a task, got none");
    await expect(run.continue({ task: "x", nothing: 1 } as never)).rejects.toThrow("nothing");
    expect(await cadre.runs()).toHaveLength(1);
  });

  test("is one whose agent is gone, unless the request names another", async () => {
    const { project, cadre } = await createConversationFixture();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    await cadre.close();
    unlinkSync(join(project.folder, ".cadre/agents/boss.md"));
    const again = await (await project.open()).find(run.id);
    await expect(again.continue("two")).rejects.toMatchObject({
      code: "agent-not-found",
      message: expect.stringMatching(/no longer in .*boss\.md.*option `agent`/),
    });
    expect(await (await again.continue({ task: "two", agent: "main" })).result()).toMatchObject({
      text: "answer 2",
    });
  });

  test("is one that was pruned", async () => {
    const { cadre } = await createConversationFixture();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    await cadre.prune(-1000);
    await expect(run.continue("two")).rejects.toMatchObject({ code: "run-not-found" });
  });

  test("is one of a program", async () => {
    const { project } = await createConversationFixture();
    const cadre = await project.open({
      agents: [defineAgent({ name: "clock", description: "tells the time", run: () => "noon" })],
    });
    const run = await cadre.spawn({ agent: "clock", task: "when?" });
    await run.result();
    await expect(run.continue("and now?")).rejects.toThrow(/clock is a program/);
  });

  test("is one that another run started, which can be forked", async () => {
    const { cadre } = await createConversationFixture(({ last, agent }) => {
      if (agent !== "boss") return `for ${last[0]}`;
      return last[0] === "one" ? [{ tool: "Agent", input: { type: "main", prompt: "p" } }] : "over";
    });
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    const [, child] = await cadre.tree(run.id);
    const handle = await cadre.find(child?.id ?? "");
    await expect(handle.continue("two")).rejects.toThrow(/was started by run .*cadre fork/);
    const fork = await cadre.fork(handle.id, { task: "more" });
    expect(await fork.result()).toMatchObject({ status: "succeeded" });
    await (await fork.continue("again")).result();
    expect(await cadre.conversations()).toMatchObject([{ id: fork.id, turns: 2 }, { id: run.id }]);
  });

  onFiles("is one of another project", async () => {
    const { project, cadre } = await createConversationFixture();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    const state = cadre.stateFolder;
    await cadre.close();
    const elsewhere = createModelProject();
    const other = await elsewhere.open({ registry: state, home: project.home });
    await expect((await other.find(run.id)).continue("two")).rejects.toThrow(
      /outside the project|is not in/,
    );
  });
});
