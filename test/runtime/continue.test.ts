import { readFileSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, type RunEvent } from "../../src/index.ts";
import { hang, type ServerReply, type ServerTurn, startModelServer } from "../fixtures/model-server.ts";
import { createProject } from "../fixtures/project.ts";

/** A project whose model answers as `script` says; default: `answer N`, counted over the conversation. */
async function createPlace(
  script: (turn: ServerTurn) => ServerReply = ({ turn }) => `answer ${turn + 1}`,
) {
  const server = await startModelServer(script);
  const project = createProject(server);
  project.writeAgent("boss");
  return { server, project, cadre: await project.open() };
}

const typesIn = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

describe("a conversation that goes on", () => {
  test("begins where it stood, as a new run that says what it continues", async () => {
    const { server, cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue("two");
    expect(await second.result()).toMatchObject({ status: "succeeded", text: "answer 2", turns: 1 });
    const third = await second.continue({ task: "three", label: "third" });
    await third.result();
    expect(server.turns.at(-1)?.messages).toEqual([
      "user: one",
      "assistant: answer 1",
      "user: two",
      "assistant: answer 2",
      "user: three",
    ]);
    expect(await third.state()).toMatchObject({
      continues: second.id,
      conversation: first.id,
      rootId: third.id,
      parentId: null,
      label: "third",
    });
  });

  test("executes no call again, and knows the files it has read", async () => {
    const read = { tool: "Read", input: { file_path: "a.txt" } };
    const edit = { tool: "Edit", input: { file_path: "a.txt", old_string: "old", new_string: "new" } };
    const { server, project, cadre } = await createPlace(({ messages, last }) => {
      if (last[0] === "look") return [read];
      if (last[0] === "change it") return [edit];
      return `seen ${messages.length}`;
    });
    project.write("a.txt", "old\n");
    const first = await cadre.spawn({ agent: "boss", task: "look" });
    await first.result();
    const second = await first.continue("change it");
    expect(await second.result()).toMatchObject({ status: "succeeded", toolCalls: 1 });
    expect(readFileSync(join(project.folder, "a.txt"), "utf8")).toBe("new\n");
    expect(server.turns.filter(({ last }) => last[0] === "look")).toHaveLength(1);
  });

  test("goes on after its latest turn, whichever of its runs is named", async () => {
    const { server, cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    await (await first.continue("two")).result();
    const third = await first.continue("three");
    await third.result();
    expect(server.turns.at(-1)?.messages).toHaveLength(5);
  });

  test("goes on after a failure, and is told of it", async () => {
    let isBroken = true;
    const { server, cadre } = await createPlace(({ last }) => {
      if (last[0] === "one" && isBroken) return [{ tool: "Nothing", input: {} }];
      return "fine";
    });
    const first = await cadre.spawn({ agent: "boss", task: "one", maxTurns: 1 });
    expect(await first.result()).toMatchObject({ status: "failed" });
    isBroken = false;
    const second = await first.continue("two");
    expect(await second.result()).toMatchObject({ status: "succeeded", text: "fine" });
    const messages = server.turns.at(-1)?.messages ?? [];
    expect(messages[0]).toBe("user: one");
    expect(messages[1]).toBe("call: Nothing {}");
    expect(messages[2]).toMatch(/^tool: There is no tool Nothing/);
    expect(messages.at(-2)).toMatch(/^user: \[The turn ended here: failed, limit-exceeded: /);
    expect(messages.at(-1)).toBe("user: two");
  });

  test("goes on after a cancellation in the middle of a call, which is not executed again", async () => {
    const { server, project, cadre } = await createPlace(({ last }) =>
      last[0] === "one"
        ? [
            { tool: "Bash", input: { command: "touch begun; sleep 60" } },
            { tool: "Write", input: { file_path: "never", content: "x" } },
          ]
        : "fine",
    );
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    for await (const event of first.events()) if (event.type === "step-started") break;
    await first.cancel("stop that");
    rmSync(join(project.folder, "begun"), { force: true });
    const second = await first.continue("two");
    expect(await second.result()).toMatchObject({ status: "succeeded", toolCalls: 0 });
    const messages = server.turns.at(-1)?.messages ?? [];
    expect(messages.some((text) => text.startsWith("tool: Interrupted, effect unknown"))).toBe(true);
    expect(messages.some((text) => text.includes("This call was not executed"))).toBe(true);
    expect(messages.at(-2)).toContain("cancelled: stop that");
  });

  test("has messages that were sent too late", async () => {
    const { server, cadre } = await createPlace(({ last }) =>
      last.at(-1) === "one" ? hang : "fine",
    );
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await server.hung(1);
    await first.send("and look at b");
    await first.cancel("enough");
    await (await first.continue("two")).result();
    expect(server.turns.at(-1)?.messages.join("\n")).toContain("[Message from user]:\nand look at b");
  });

  test("keeps the output schema of its request", async () => {
    const { cadre } = await createPlace(({ last }) => [
      { tool: "final_output", input: { title: `of ${last.at(-1)}` } },
    ]);
    const outputSchema = z.object({ title: z.string() });
    const first = await cadre.spawn({ agent: "boss", task: "one", outputSchema });
    await first.result();
    const second = await first.continue("two");
    expect((await second.result()).output?.title).toBe("of two");
  });

  test("has a budget of its own for each turn", async () => {
    const { cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "one", budget: { toolCalls: 7 } });
    await first.result();
    const second = await first.continue("two");
    await second.result();
    expect((await second.state()).budget).toEqual({ toolCalls: 7 });
    const third = await second.continue({ task: "three", budget: { toolCalls: 9 } });
    expect((await third.state()).budget).toEqual({ toolCalls: 9 });
  });

  test("is cancelled by the signal of its request", async () => {
    const { server, cadre } = await createPlace(({ last }) => (last[0] === "two" ? hang : "fine"));
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const ending = new AbortController();
    const second = await first.continue({ task: "two", signal: ending.signal });
    await server.hung(1);
    ending.abort(new Error("over"));
    expect(await second.result()).toMatchObject({ status: "cancelled" });
    await expect(second.continue({ task: "x", signal: ending.signal })).rejects.toThrow("over");
  });

  test("writes no more than a first turn, however long it is", async () => {
    const { cadre } = await createPlace(() => "x".repeat(2000));
    let run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    const sizeOf = async () => JSON.stringify(await run.journal()).length;
    const first = await sizeOf();
    for (let turn = 0; turn < 30; turn += 1) {
      run = await run.continue("more");
      await run.result();
    }
    expect(await sizeOf()).toBeLessThan(first * 1.2);
    expect(typesIn(await run.journal()).filter((type) => type === "step-finished")).toHaveLength(2);
  });
});

describe("rights of the next turn", () => {
  test("are those that are granted now, without a wider mode and without a narrower one", async () => {
    const { project, cadre } = await createPlace(({ last }) =>
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
    const { cadre } = await createPlace(({ last }) =>
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
    const { server, project, cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    await cadre.close();
    project.writeAgent("boss", { tools: ["Read"] }, "Be brief.");
    const again = await project.open();
    await (await (await again.find(first.id)).continue("two")).result();
    expect(server.turns.at(-1)?.system).toContain("Be brief.");
    expect(server.turns.at(-1)?.tools).toEqual(["Read"]);
  });

  test("belong to another agent when the request names one", async () => {
    const { server, project, cadre } = await createPlace();
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

describe("a run that cannot be continued", () => {
  test("is one that is at work", async () => {
    const { server, cadre } = await createPlace(() => hang);
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await server.hung(1);
    await expect(run.continue("two")).rejects.toThrow(/is at work \(running\).*cadre send/);
  });

  test("is one that another continuation goes on with at the moment", async () => {
    const { server, cadre } = await createPlace(({ last }) => (last[0] === "two" ? hang : "fine"));
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    const [one, other] = await Promise.allSettled([run.continue("two"), run.continue("three")]);
    expect(one.status).toBe("fulfilled");
    expect(String(other.status === "rejected" && other.reason)).toContain("is at work");
    await server.hung(1);
  });

  test("is one without a text to go on with", async () => {
    const { cadre } = await createPlace();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    await expect(run.continue(" \n")).rejects.toThrow("a task is expected");
    await expect(run.continue({ task: "x", nothing: 1 } as never)).rejects.toThrow("nothing");
    expect(await cadre.runs()).toHaveLength(1);
  });

  test("is one whose agent is gone, unless the request names another", async () => {
    const { project, cadre } = await createPlace();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    await cadre.close();
    unlinkSync(join(project.folder, ".cadre/agents/boss.md"));
    const again = await (await project.open()).find(run.id);
    await expect(again.continue("two")).rejects.toMatchObject({
      code: "agent-not-found",
      message: expect.stringMatching(/boss\.md any more.*option `agent`/),
    });
    expect(await (await again.continue({ task: "two", agent: "main" })).result()).toMatchObject({
      text: "answer 2",
    });
  });

  test("is one that was pruned", async () => {
    const { cadre } = await createPlace();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    await cadre.prune(-1000);
    await expect(run.continue("two")).rejects.toMatchObject({ code: "run-not-found" });
  });

  test("is one of a program", async () => {
    const { project } = await createPlace();
    const cadre = await project.open({
      agents: [defineAgent({ name: "clock", description: "tells the time", run: () => "noon" })],
    });
    const run = await cadre.spawn({ agent: "clock", task: "when?" });
    await run.result();
    await expect(run.continue("and now?")).rejects.toThrow(/clock is a program/);
  });

  test("is one that another run started, which can be forked", async () => {
    const { cadre } = await createPlace(({ last, agent }) => {
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

  test("is one of another project", async () => {
    const { project, cadre } = await createPlace();
    const run = await cadre.spawn({ agent: "boss", task: "one" });
    await run.result();
    const state = cadre.stateFolder;
    await cadre.close();
    const elsewhere = createProject();
    const other = await elsewhere.open({ registry: state, home: project.home });
    await expect((await other.find(run.id)).continue("two")).rejects.toThrow(
      /outside of the project|is not in/,
    );
  });
});

describe("conversations", () => {
  test("are listed with titles, turns, status and the sums of their figures", async () => {
    const { cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "Plan the trip\nto the sea" });
    await first.result();
    const second = await first.continue("and back");
    await second.result();
    const other = await cadre.spawn({ agent: "main", task: "else" });
    await other.result();
    const [newest, oldest] = await cadre.conversations();
    expect(newest).toMatchObject({ id: other.id, title: "else", agent: "main", turns: 1 });
    expect(oldest).toMatchObject({
      id: first.id,
      title: "Plan the trip",
      agent: "boss",
      status: "succeeded",
      turns: 2,
      replies: 2,
      runs: 2,
      usage: { inputTokens: 20, outputTokens: 10 },
      isArchived: false,
      lastRunId: second.id,
      readsMessages: true,
    });
    expect(await cadre.conversations({ text: "BACK" })).toMatchObject([{ id: first.id }]);
    expect(await cadre.conversations({ text: "nowhere" })).toEqual([]);
  });

  test("are named and archived by any of their runs", async () => {
    const { cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue("two");
    await second.result();
    const changed = await cadre.changeConversation(second.id, { title: " Sea \n trip ", archived: true });
    expect(changed).toMatchObject({ id: first.id, title: "Sea trip", isArchived: true });
    expect(await cadre.conversations()).toEqual([]);
    expect(await cadre.conversations({ archived: true, text: "sea" })).toHaveLength(1);
    await cadre.changeConversation(first.id, { title: null, archived: false });
    expect(await cadre.conversations()).toMatchObject([{ title: "one" }]);
    for (const title of ["", "x".repeat(201), 7 as never]) {
      await expect(cadre.changeConversation(first.id, { title })).rejects.toMatchObject({
        code: "invalid-argument",
      });
    }
  });

  test("are deleted with all their runs, but not while a fork goes on with them", async () => {
    const { cadre } = await createPlace();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue("two");
    await second.result();
    const fork = await cadre.fork(second.id, { task: "three" });
    expect(await fork.result()).toMatchObject({ text: "answer 3" });
    await expect(cadre.deleteConversation(first.id)).rejects.toThrow(fork.id);
    expect(await cadre.deleteConversation(fork.id)).toMatchObject({ runs: 1 });
    expect(await cadre.deleteConversation(second.id)).toMatchObject({ runs: 2 });
    expect(await cadre.runs()).toEqual([]);
  });
});
