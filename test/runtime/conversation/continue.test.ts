import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunEvent } from "../../../src/index.ts";
import { hang } from "../../fixtures/model-server.ts";
import { createConversationFixture } from "../../fixtures/delegation/conversation-fixture.ts";

const typesIn = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

describe("a conversation that continues", () => {
  test("begins where it stood, as a new run that says what it continues", async () => {
    const { server, cadre } = await createConversationFixture();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue("two");
    expect(await second.result()).toMatchObject({
      status: "succeeded",
      text: "answer 2",
      turns: 1,
    });
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
    const edit = {
      tool: "Edit",
      input: { file_path: "a.txt", old_string: "old", new_string: "new" },
    };
    const { server, project, cadre } = await createConversationFixture(({ messages, last }) => {
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

  test("continues after its latest turn, whichever of its runs is named", async () => {
    const { server, cadre } = await createConversationFixture();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    await (await first.continue("two")).result();
    const third = await first.continue("three");
    await third.result();
    expect(server.turns.at(-1)?.messages).toHaveLength(5);
  });

  test("continues after a failure, and is told of it", async () => {
    let isBroken = true;
    const { server, cadre } = await createConversationFixture(({ last }) => {
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

  test("continues after a cancellation in the middle of a call, which is not executed again", async () => {
    const { server, project, cadre } = await createConversationFixture(({ last }) =>
      last[0] === "one"
        ? [
            { tool: "Bash", input: { command: "touch begun; sleep 60" } },
            { tool: "Write", input: { file_path: "never", content: "x" } },
          ]
        : "fine",
    );
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await expect
      .poll(() => existsSync(join(project.folder, "begun")), { timeout: 60_000 })
      .toBe(true);
    await first.cancel("stop that");
    rmSync(join(project.folder, "begun"));
    const second = await first.continue("two");
    expect(await second.result()).toMatchObject({ status: "succeeded", toolCalls: 0 });
    const messages = server.turns.at(-1)?.messages ?? [];
    expect(messages.some((text) => text.includes("Ended because the run was cancelled"))).toBe(
      true,
    );
    expect(messages.some((text) => text.includes("This call was not executed"))).toBe(true);
    expect(messages.at(-2)).toContain("cancelled: stop that");
    expect(existsSync(join(project.folder, "begun"))).toBe(false);
  });

  test("has messages that were sent too late", async () => {
    const { server, cadre } = await createConversationFixture(({ last }) =>
      last.at(-1) === "one" ? hang : "fine",
    );
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await server.hung(1);
    await first.send("and look at b");
    await first.cancel("enough");
    await (await first.continue("two")).result();
    expect(server.turns.at(-1)?.messages.join("\n")).toContain(
      "[Message from user]:\nand look at b",
    );
  });

  test("keeps the output schema of its request", async () => {
    const { cadre } = await createConversationFixture(({ last }) => [
      { tool: "final_output", input: { title: `of ${last.at(-1)}` } },
    ]);
    const outputSchema = z.object({ title: z.string() });
    const first = await cadre.spawn({ agent: "boss", task: "one", outputSchema });
    await first.result();
    const second = await first.continue("two");
    expect((await second.result()).output?.title).toBe("of two");
  });

  test("has a budget of its own for each turn", async () => {
    const { cadre } = await createConversationFixture();
    const first = await cadre.spawn({ agent: "boss", task: "one", budget: { toolCalls: 7 } });
    await first.result();
    const second = await first.continue("two");
    await second.result();
    expect((await second.state()).budget).toEqual({ toolCalls: 7 });
    const third = await second.continue({ task: "three", budget: { toolCalls: 9 } });
    expect((await third.state()).budget).toEqual({ toolCalls: 9 });
  });

  test("is cancelled by the signal of its request", async () => {
    const { server, cadre } = await createConversationFixture(({ last }) =>
      last[0] === "two" ? hang : "fine",
    );
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
    const { cadre } = await createConversationFixture(() => "x".repeat(2000));
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
