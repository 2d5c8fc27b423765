import { describe, expect, test } from "vitest";
import type { ServerCall } from "../fixtures/chat-completion.ts";
import { type Play, play, spawn } from "../fixtures/session-play.ts";

const call = (tool: string, input: object = {}): ServerCall => ({ tool, input: { ...input } });
const add = (...tasks: object[]): ServerCall => call("board_add", { tasks });
const member = (label: string, more: object = {}): ServerCall =>
  spawn({ task: label, label, team: true, ...more });
const lead = { boss: { team: true } };

/** Lets each worker make the calls of its label in its turns, and answer with the last result. */
function script(calls: Record<string, readonly ServerCall[]>): Play {
  return ({ task, turn, last }) => {
    const next = calls[task]?.[turn];
    return next === undefined ? (last.at(-1) ?? "done") : [next];
  };
}

describe("the board of a team", () => {
  test("gives each task to one member, and its result to whoever claims the next one", async () => {
    const { run, family, childOf } = await play(
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
      script({
        one: [
          call("board_claim"),
          call("board_update", { task: "look", status: "done", result: "seen" }),
        ],
        two: [call("board_claim"), call("board_update", { task: "t2", status: "done" })],
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
    const { run, result } = await play(
      [
        [add(...tasks)],
        tasks.map((_, index) => member(`w${index}`)),
        ...tasks.map(() => "waiting"),
      ],
      ({ turn, last }) => {
        if (turn === 0) return [call("board_claim")];
        const id = /You work on (\w+)/.exec(last.at(-1) ?? "")?.[1] ?? "nothing";
        if (turn > 1) return "done";
        claimed.push(id);
        return [call("board_update", { task: id, status: "done" })];
      },
      lead,
    );
    expect(result.status).toBe("succeeded");
    expect(new Set(claimed).size).toBe(20);
    expect((await run.board()).every(({ status }) => status === "done")).toBe(true);
  });

  test("opens the task of a member that ended without an end of the task", async () => {
    const { run, childOf } = await play(
      [
        [add({ title: "Look" })],
        [member("one"), member("two", { dependsOn: ["one"] })],
        "waiting",
        "over",
      ],
      script({ one: [call("board_claim")], two: [call("board_claim"), call("board_list")] }),
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
        call("board_update", { task: "a", dependsOn: ["b"] }),
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
      "There is a task a already",
    ],
    [
      "a task that waits",
      [
        add({ id: "a", title: "A" }, { id: "b", title: "B", dependsOn: ["a"] }),
        call("board_claim", { task: "b" }),
      ],
      "before these are done: a",
    ],
    [
      "an unknown task",
      [add({ id: "a", title: "A" }), call("board_claim", { task: "z" })],
      "There is no task z on the board.",
    ],
    ["an empty board", [call("board_claim")], "No task is free. The board is empty."],
    [
      "a task that has ended",
      [
        add({ title: "A" }),
        call("board_update", { task: "t1", status: "done" }),
        call("board_claim", { task: "t1" }),
      ],
      "Task t1 is done.",
    ],
    [
      "no change",
      [add({ title: "A" }), call("board_update", { task: "t1" })],
      "expected status, result or dependsOn",
    ],
    ["a title of two lines", [add({ title: "A\nB" })], "expected one line of text"],
  ] as const)("refuses %s", async (_, calls, problem) => {
    const { told } = await play([...calls.map((one) => [one]), "over"], undefined, lead);
    expect(told.at(-1)?.at(-1)).toContain(problem);
  });

  test("is changed by whoever claimed or added a task only", async () => {
    const { childOf } = await play(
      [[add({ title: "A" })], [call("board_claim")], [member("one")], "waiting", "over"],
      script({ one: [call("board_update", { task: "t1", status: "done" })] }),
      lead,
    );
    expect(childOf("one")?.result?.text).toMatch(
      /Only the run that added task t1 \(\S+\), or that works on it/,
    );
  });
});

describe("messages in a team", () => {
  test("reach a sibling by its label before its next step, and it answers", async () => {
    const { childOf, server } = await play(
      [[member("ask"), member("help")], "waiting", "waiting", "over"],
      ({ task, last, turn }) => {
        if (task === "help") {
          if (turn === 0) return [call("team_wait", { for: "message" })];
          return turn === 1 ? [call("team_send", { to: "ask", message: "It is 42." })] : "helped";
        }
        if (turn === 0) return [call("team_send", { to: "help", message: "What is it?" })];
        return turn === 1 ? [call("team_wait", { for: "message" })] : `heard ${last.at(-1)}`;
      },
      lead,
    );
    expect(childOf("ask")?.result?.text).toMatch(
      /^heard \[Message from help, a member of your team \(run \S+\)\]:\nIt is 42\.$/,
    );
    const help = server.turns.filter(({ task }) => task === "help");
    expect(help[1]?.last).toEqual([
      "A message came.",
      expect.stringMatching(/^\[Message from ask, .*\]:\nWhat is it\?$/),
    ]);
  });

  test("go to all other members at work", async () => {
    const { told } = await play(
      [
        [member("one"), member("two")],
        [call("team_send", { to: "*", message: "Hurry" })],
        "waiting",
        "waiting",
        "over",
      ],
      ({ turn, last }) =>
        turn === 0 ? [call("team_wait", { for: "message" })] : (last.at(-1) ?? ""),
      lead,
    );
    expect(told[2]?.[0]).toMatch(/^Sent to one \(run \w+\), two \(run \w+\)\.$/);
    expect(told.flat().join("\n")).toContain("Hurry");
  });

  test.each([
    ["nobody", "tow", '"tow" is not a member of your team. Did you mean `two`?'],
    ["itself", "one", '"one" is yourself.'],
    ["a member that has ended", "two", "two (run "],
    ["a run outside of the team", "three", '"three" is not a member of your team.'],
  ])("to %s are refused", async (_, to, problem) => {
    const { childOf } = await play(
      [
        [member("two"), spawn({ task: "three", label: "three" })],
        [call("sessions_wait")],
        [member("one")],
        "waiting",
        "over",
      ],
      script({ one: [call("team_send", { to, message: "hi" })] }),
      lead,
    );
    expect(childOf("one")?.result?.text).toContain(problem);
  });

  test("are not offered to runs outside of the team", async () => {
    const { server, told } = await play([[spawn({ task: "x" })], "waiting", "over"]);
    const offered = server.turns.flatMap(({ tools }) => tools);
    expect(offered.filter((name) => /^(team|board)_/.test(name))).toEqual([]);
    expect(told).toHaveLength(3);
  });
});

describe("waiting for the team", () => {
  test("ends when a task is free, when nobody else is at work, and when the time is over", async () => {
    const { childOf, told } = await play(
      [
        [member("one")],
        [add({ title: "A" })],
        "waiting",
        [call("team_wait")],
        [call("board_claim")],
        [call("team_wait", { for: "message" })],
        "over",
      ],
      script({
        one: [
          call("team_wait", { for: "task" }),
          call("team_wait", { for: "message", seconds: 0.05 }),
        ],
      }),
      lead,
    );
    expect(childOf("one")?.result?.text).toBe("Nothing came in 0.05 seconds.");
    expect(told[4]?.[0]).toBe("Task t1 is free: A. Claim it with board_claim.");
    expect(told[6]?.[0]).toBe("No other member of your team is at work.");
  });
});
