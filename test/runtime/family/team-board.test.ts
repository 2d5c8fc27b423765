import { describe, expect, test } from "vitest";
import { runScripted } from "../../fixtures/delegation/scripted-family.ts";
import {
  add,
  teamCall,
  lead,
  member,
  teamScript,
} from "../../fixtures/delegation/scripted-team.ts";

describe("the board of a team", () => {
  test("gives each task to one member, and its result to whoever claims the next one", async () => {
    const { run, family, childOf } = await runScripted(
      [
        [
          add(
            { id: "look", title: "Look", details: "At all of it." },
            { title: "Write", dependsOn: ["look"] },
          ),
        ],
        [member("one"), member("two", { dependsOn: ["one"] })],
        "waiting",
        "over",
      ],
      teamScript({
        one: [
          teamCall("board_claim"),
          teamCall("board_update", { task: "look", status: "done", result: "seen" }),
        ],
        two: [teamCall("board_claim"), teamCall("board_update", { task: "t2", status: "done" })],
      }),
      lead,
    );
    const [one, two] = [childOf("one"), childOf("two")];
    expect(await run.board()).toEqual([
      {
        id: "look",
        title: "Look",
        details: "At all of it.",
        dependsOn: [],
        waitsFor: [],
        status: "done",
        addedBy: run.id,
        claimedBy: one?.id,
        result: "seen",
      },
      {
        id: "t2",
        title: "Write",
        dependsOn: ["look"],
        waitsFor: [],
        status: "done",
        addedBy: run.id,
        claimedBy: two?.id,
      },
    ]);
    expect(family.map(({ team }) => team)).toEqual([true, true, true]);
    expect(two?.result?.text).toBe("Task t2 is updated. Free tasks: none.");
  });

  test("lets members claim at the same time, and none of them gets the task of another", async () => {
    const tasks = Array.from({ length: 20 }, (_, index) => ({ title: `Part ${index}` }));
    const claimed: string[] = [];
    const { run, result } = await runScripted(
      [
        [add(...tasks)],
        tasks.map((_, index) => member(`w${index}`)),
        ...tasks.map(() => "waiting"),
      ],
      ({ turn, last }) => {
        if (turn === 0) return [teamCall("board_claim")];
        const id = /You work on (\w+)/.exec(last.at(-1) ?? "")?.[1] ?? "nothing";
        if (turn > 1) return "done";
        claimed.push(id);
        return [teamCall("board_update", { task: id, status: "done" })];
      },
      lead,
    );
    expect(result.status).toBe("succeeded");
    expect(new Set(claimed).size).toBe(20);
    expect((await run.board()).every(({ status }) => status === "done")).toBe(true);
  });

  test("opens the task of a member that ended without an end of the task", async () => {
    const { run, childOf } = await runScripted(
      [
        [add({ title: "Look" })],
        [member("one"), member("two", { dependsOn: ["one"] })],
        "waiting",
        "over",
      ],
      teamScript({
        one: [teamCall("board_claim")],
        two: [teamCall("board_claim"), teamCall("board_list")],
      }),
      lead,
    );
    expect(childOf("two")?.result?.text).toContain("- t1 [claimed by two (run ");
    expect(await run.board()).toMatchObject([{ id: "t1", status: "open" }]);
  });

  test.each([
    [
      "a cycle",
      [add({ id: "a", title: "A", dependsOn: ["b"] }, { id: "b", title: "B", dependsOn: ["a"] })],
      "a -> b -> a",
    ],
    [
      "a cycle by an update",
      [
        add({ id: "a", title: "A" }, { id: "b", title: "B", dependsOn: ["a"] }),
        teamCall("board_update", { task: "a", dependsOn: ["b"] }),
      ],
      "would wait for each other: b -> a -> b",
    ],
    ["itself", [add({ id: "a", title: "A", dependsOn: ["a"] })], "a -> a"],
    [
      "an unknown dependency",
      [add({ id: "look", title: "A" }), add({ title: "B", dependsOn: ["lok"] })],
      "depends on lok, which is not on the board. Did you mean `look`?",
    ],
    [
      "an id twice",
      [add({ id: "a", title: "A" }, { id: "a", title: "B" })],
      "There is already a task a",
    ],
    [
      "a task that waits",
      [
        add({ id: "a", title: "A" }, { id: "b", title: "B", dependsOn: ["a"] }),
        teamCall("board_claim", { task: "b" }),
      ],
      "before these are done: a",
    ],
    [
      "an unknown task",
      [add({ id: "a", title: "A" }), teamCall("board_claim", { task: "z" })],
      "There is no task z on the board.",
    ],
    ["an empty board", [teamCall("board_claim")], "No task is free. The board is empty."],
    [
      "a task that has ended",
      [
        add({ title: "A" }),
        teamCall("board_update", { task: "t1", status: "done" }),
        teamCall("board_claim", { task: "t1" }),
      ],
      "Task t1 is done.",
    ],
    [
      "no change",
      [add({ title: "A" }), teamCall("board_update", { task: "t1" })],
      "expected status, result or dependsOn",
    ],
    ["a title of two lines", [add({ title: "A\nB" })], "expected one line of text"],
  ] as const)("refuses %s", async (_, calls, problem) => {
    const { received } = await runScripted([...calls.map((one) => [one]), "over"], undefined, lead);
    expect(received.at(-1)?.at(-1)).toContain(problem);
  });

  test("is changed by whoever claimed or added a task only", async () => {
    const { childOf } = await runScripted(
      [[add({ title: "A" })], [teamCall("board_claim")], [member("one")], "waiting", "over"],
      teamScript({ one: [teamCall("board_update", { task: "t1", status: "done" })] }),
      lead,
    );
    expect(childOf("one")?.result?.text).toMatch(
      /Only the run that added task t1 \(\S+\), or that works on it/,
    );
  });
});

describe("the board of a conversation", () => {
  test("continues in the next turn, and runs of an earlier turn hold no task", async () => {
    const { run, received } = await runScripted(
      [
        [add({ title: "A" }, { title: "B" })],
        [teamCall("board_claim")],
        [teamCall("board_update", { task: "t1", status: "done" })],
        [teamCall("board_claim")],
        "over",
        [add({ title: "C" })],
        [teamCall("board_claim")],
        "done",
      ],
      undefined,
      lead,
    );
    expect(received).toHaveLength(5);
    const next = await run.continue("more");
    await next.result();
    expect(await next.board()).toMatchObject([
      { id: "t1", status: "done", claimedBy: run.id },
      { id: "t2", status: "open" },
      { id: "t3", status: "open" },
    ]);
    const journal = await next.journal();
    const numbers = journal.flatMap((one) => (one.type === "board-changed" ? [one.number] : []));
    expect(numbers).toEqual([5, 6]);
    const [claim] = journal.filter((one) => one.type === "board-changed").slice(-1);
    expect(claim).toMatchObject({ change: { kind: "claim", task: "t2" } });
  });
});
