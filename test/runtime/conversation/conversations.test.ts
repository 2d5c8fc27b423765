import { describe, expect, test } from "vitest";
import { createConversationFixture } from "../../fixtures/delegation/conversation-fixture.ts";

describe("conversations", () => {
  test("are listed with titles, turns, status and the sums of their figures", async () => {
    const { cadre } = await createConversationFixture();
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
    const { cadre } = await createConversationFixture();
    const first = await cadre.spawn({ agent: "boss", task: "one" });
    await first.result();
    const second = await first.continue("two");
    await second.result();
    const changed = await cadre.changeConversation(second.id, {
      title: " Sea \n trip ",
      archived: true,
    });
    expect(changed).toMatchObject({ id: first.id, title: "Sea trip", isArchived: true });
    expect(await cadre.conversations()).toEqual([]);
    expect(await cadre.conversations({ archived: true, text: "sea" })).toHaveLength(1);
    await cadre.changeConversation(first.id, { title: null, archived: false });
    expect(await cadre.conversations()).toMatchObject([{ title: "one" }]);
    const refused: [unknown, string][] = [
      [" \n", "an empty one"],
      ["x".repeat(201), "one of 201"],
      [7, "`7`"],
    ];
    for (const [title, got] of refused) {
      const change = cadre.changeConversation(first.id, { title: title as string });
      await expect(change).rejects.toMatchObject({
        code: "invalid-argument",
        message: `Expected a title of 1 to 200 characters, or null for none; got ${got}.`,
      });
    }
  });

  test("are deleted with all their runs, but not while a fork continues them", async () => {
    const { cadre } = await createConversationFixture();
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
