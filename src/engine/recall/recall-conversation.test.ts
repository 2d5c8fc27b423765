import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { createRunnerFixture } from "../../../test/fixtures/runner/runner-fixture.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { ScriptConversation } from "../../model/script/script-conversation.ts";
import type { Script } from "../../model/script/scripted-model.ts";

/** Continues runs of `fixture` with the text of each. */
function createConversation(script: Script, given: Parameters<typeof createEngineFixture>[0] = {}) {
  const seen: ScriptConversation[] = [];
  const fixture = createEngineFixture({
    ...given,
    script(conversation) {
      seen.push(conversation);
      return script(conversation);
    },
  });
  return { fixture, seen };
}

describe("a conversation that was compacted", () => {
  test("continues from its compacted state, and describes what was removed", async () => {
    const look = createTestTool("Look", () => "x".repeat(3000), { access: "read" });
    const { fixture, seen } = createConversation(
      ({ turn }) => (turn < 8 ? { calls: [{ tool: "Look", input: {} }] } : { text: `at ${turn}` }),
      { contextTokens: 6000, tools: [look] },
    );
    const first = await fixture.run({ task: "look around" });
    const events = await fixture.events(first.runId);
    const compacted = events.filter((event) => event.type === "conversation-compacted");
    expect(compacted.length).toBeGreaterThan(0);
    expect(compacted[0]?.summary).toMatch(/^\d results? \(Look \d\)/);
    const before = seen.at(-1)?.text ?? "";
    const second = await fixture.run({ task: "and now?", continues: first.runId });
    expect(second).toMatchObject({ status: "succeeded", text: "at 9" });
    expect(seen.at(-1)?.text).toBe(`${before}\nat 8\nand now?`);
    expect(typesOf(await fixture.events(second.runId))).not.toContain("conversation-compacted");
    await fixture.run({ task: "and then?", continues: second.runId });
    expect(seen.at(-1)?.text).toBe(`${before}\nat 8\nand now?\nat 9\nand then?`);
  });

  test("is compacted in a later turn, which the turn after that begins with", async () => {
    const { fixture, seen } = createConversation(
      ({ turn }) => ({ text: `${turn} ${"long answer ".repeat(400)}` }),
      { contextTokens: 6000 },
    );
    let last = await fixture.run({ task: "tell" });
    for (let turn = 0; turn < 8; turn += 1) {
      last = await fixture.run({ task: `more ${turn}`, continues: last.runId });
      expect(last.status).toBe("succeeded");
    }
    expect(seen.at(-1)?.text).toContain("characters removed to save space");
    expect(seen.at(-1)?.text).toContain("tell\n");
    for (let turn = 0; turn < 8; turn += 1) expect(seen.at(-1)?.text).toContain(`more ${turn}`);
  });
});

describe("a turn that is asked to shorten the conversation", () => {
  const look = createTestTool("Look", () => "x".repeat(3000), { access: "read" });
  const looking: Script = ({ turn }) =>
    turn < 8 ? { calls: [{ tool: "Look", input: {} }] } : { text: `at ${turn}` };

  test("removes old results to half, once, and later turns begin with that", async () => {
    const { fixture, seen } = createConversation(looking, { tools: [look] });
    const first = await fixture.run({ task: "look around" });
    const before = seen.at(-1)?.text.length ?? 0;
    const second = await fixture.run({ task: "go on", continues: first.runId, compact: true });
    const after = seen.at(-1)?.text ?? "";
    expect(after.length).toBeLessThan(before * 0.6);
    expect(after).toContain("was removed to save space");
    const compacted = typesOf(await fixture.events(second.runId));
    expect(compacted.filter((type) => type === "conversation-compacted")).toHaveLength(1);
    const third = await fixture.run({ task: "more", continues: second.runId });
    expect(seen.at(-1)?.text).toBe(`${after}\nat 9\nmore`);
    expect(typesOf(await fixture.events(third.runId))).not.toContain("conversation-compacted");
  });

  test("is not shortened twice when it was killed before the reply", async () => {
    const { fixture, seen } = createConversation(looking, { tools: [look] });
    const first = await fixture.run({ task: "look around" });
    const request = { task: "go on", continues: first.runId, compact: true };
    const whole = await fixture.run(request);
    const shortened = seen.at(-1)?.text;
    const left = createEngineFixture({ path: fixture.path, executes: false });
    const id = await left.spawn({ ...request, workspace: fixture.workspace });
    for (const { type, ...event } of await fixture.events(whole.runId)) {
      if (type !== "run-started" && type !== "conversation-compacted") continue;
      const { runId: _, seq: __, at: ___, elapsedMs: ____, ...body } = event;
      left.registry.append(id, { type, ...body } as never);
    }
    await left.registry.close();
    await fixture.engine.resume(id);
    expect((await fixture.engine.result(id)).text).toBe("at 9");
    expect(seen.at(-1)?.text).toBe(shortened);
    const types = typesOf(await fixture.events(id));
    expect(types.filter((type) => type === "conversation-compacted")).toHaveLength(1);
  });
});

describe("the record of an earlier turn", () => {
  test("is that of its last attempt, with the messages sent to the others", async () => {
    let asked = 0;
    const { fixture, seen } = createConversation(() => {
      asked += 1;
      if (asked === 1) return { text: "", fault: { kind: "status", status: 400 } };
      return { text: `answer ${asked}` };
    });
    const first = await fixture.run({ task: "one", retry: { maxRetries: 1, checks: [] } });
    expect(first.text).toBe("answer 2");
    await fixture.run({ task: "two", continues: first.runId });
    expect(seen.at(-1)?.text).toBe("one\nanswer 2\ntwo");
  });

  test("includes the correction of an output, and its acceptance", async () => {
    const outputSchema = { type: "object", required: ["title"] };
    const { fixture, seen } = createConversation(({ turn, last }) => {
      if (turn === 0) return { text: "no call" };
      return last === "two"
        ? { text: "fine" }
        : { calls: [{ tool: "final_output", input: { title: "x" } }] };
    });
    const first = await fixture.run({ task: "one", outputSchema });
    expect(first.output).toEqual({ title: "x" });
    await fixture.run({ task: "two", continues: first.runId });
    expect(seen.at(-1)?.text).toMatch(
      /^one\nno call\nThe output was not accepted[^]*\nfinal_output \{"title":"x"\}\nThe output was accepted\.\ntwo$/,
    );
  });

  test("includes an answer that was continued after a cut", async () => {
    const { fixture, seen } = createConversation(({ turn }) =>
      turn === 0 ? { text: "half ", finish: "length" } : { text: "whole" },
    );
    const first = await fixture.run({ task: "one" });
    expect(first.text).toBe("half whole");
    await fixture.run({ task: "two", continues: first.runId });
    expect(seen.at(-1)?.text).toBe(
      "one\nhalf \nYour answer was cut off. Continue exactly where it stopped.\nwhole\ntwo",
    );
  });

  test("says how an unsuccessful turn ended", async () => {
    const { fixture, seen } = createConversation(() => ({ text: "fine" }));
    const first = await fixture.spawn({ id: "t-left", dependsOn: ["nobody"] });
    await fixture.engine.cancel(first, "wrong way", "user");
    await fixture.run({ task: "two", continues: first });
    expect(seen.at(-1)?.text).toBe(
      "do it\n[The turn ended here: cancelled, cancelled: wrong way]\ntwo",
    );
  });

  test.each([
    ["arrived too late", { text: "fine" }],
    ["were before a request without a reply", { text: "", fault: { kind: "status", status: 400 } }],
  ] as const)("has the messages that %s, once when the next task repeats them", async (_, end) => {
    const tell = createTestTool("Tell", async (value, { runId, signal }) => {
      await fixture.engine.send(runId, "hurry", "user");
      if (end.text === "") return "told";
      void fixture.engine.cancel(runId, "interrupted", "user");
      return await orAbort(new Promise<string>(() => undefined), signal);
    });
    const { fixture, seen } = createConversation(
      ({ turn, last }) => {
        if (turn === 0) return { calls: [{ tool: "Tell", input: {} }] };
        return last.includes("[Message from user]") ? end : { text: "fine" };
      },
      { tools: [tell] },
    );
    for (const task of ["hurry", "first\n\nhurry", "hurry up", "two"]) {
      const first = await fixture.run({ task: "one" });
      expect(first.status).not.toBe("succeeded");
      await fixture.run({ task, continues: first.runId });
      const lines = (seen.at(-1)?.text ?? "").split("\n");
      expect(
        lines.filter((line) => line === "hurry"),
        task,
      ).toHaveLength(1);
    }
  });

  test("survives retries of the new turn, which begin with the conversation", async () => {
    let isFirst = true;
    const { fixture, seen } = createConversation(({ last }) => {
      if (last !== "two" || !isFirst) return { text: `to ${last}` };
      isFirst = false;
      return { text: "", fault: { kind: "status", status: 400 } };
    });
    const first = await fixture.run({ task: "one" });
    const retry = { maxRetries: 1, checks: [] };
    const second = await fixture.run({ task: "two", continues: first.runId, retry });
    expect(second).toMatchObject({ status: "succeeded", text: "to two" });
    expect(seen.at(-1)?.text).toBe("one\nto one\ntwo");
  });

  test("must exist", async () => {
    const { fixture } = createConversation(() => ({ text: "fine" }));
    const result = await fixture.run({ task: "two", continues: "t-gone" });
    expect(result.failure).toMatchObject({ code: "internal" });
    expect(result.failure?.message).toContain("t-gone, which the registry no longer has");
  });

  test("stays that of one conversation in a damaged journal whose runs continue each other", async () => {
    const { fixture } = createConversation(() => ({ text: "fine" }));
    const id = await fixture.spawn({ id: "t-self", continues: "t-self" });
    expect((await fixture.engine.result(id)).failure?.message).toContain("t-self");
  });
});

describe("a fork at the end of a turn", () => {
  test("has the whole conversation before it, and is forked again with it", async () => {
    const { fixture, seen } = createConversation(({ last }) => ({
      text: `to ${last.split("\n").at(-1)}`,
    }));
    const first = await fixture.run({ task: "one" });
    const second = await fixture.run({ task: "two", continues: first.runId });
    const fork = await fixture.engine.fork(second.runId, undefined, "three");
    expect(await fixture.engine.result(fork)).toMatchObject({ text: "to three", turns: 1 });
    expect(seen.at(-1)?.text).toBe("one\nto one\ntwo\nto two\n[Message from user]:\nthree");
    await fixture.run({ task: "four", continues: fork });
    expect(seen.at(-1)?.text).toContain("three\nto three\nfour");
    const silent = await fixture.engine.fork(second.runId, "end");
    expect(await fixture.engine.result(silent)).toMatchObject({ text: "to two", turns: 0 });
    expect(await fixture.registry.spec(silent)).toMatchObject({ continues: first.runId });
  });
});

describe("a conversation with an agent in another program", () => {
  test("continues in the same session if the program can load it", async () => {
    const fixture = createRunnerFixture(["load"]);
    const { definition } = fixture;
    const first = await fixture.execute(["say hello"]);
    const second = await fixture.execute(["say again"], { continues: first.runId, definition });
    expect(second).toMatchObject({ status: "succeeded" });
    expect(fixture.asked().map(({ method }) => method)).toContain("session/load");
    expect(fixture.prompts().at(-1)).toBe("say again");
  });

  test("is sent again to a program that cannot", async () => {
    const fixture = createRunnerFixture();
    const first = await fixture.execute(["say hello"]);
    const second = await fixture.execute(["say again"], { continues: first.runId });
    await fixture.execute(["say more"], { continues: second.runId });
    const prompt = fixture.prompts().at(-1) ?? "";
    expect(prompt).toMatch(/^You do it\.[^]*# Task\n\nsay hello\n\n\[You answered\]:\n/);
    expect(prompt).toMatch(/\n\nsay again\n\n\[You answered\]:\n[^]*\n\nsay more$/);
  });
});
