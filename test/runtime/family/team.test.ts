import { describe, expect, test } from "vitest";
import { runScripted, spawn } from "../../fixtures/delegation/scripted-family.ts";
import {
  add,
  teamCall,
  lead,
  member,
  teamScript,
} from "../../fixtures/delegation/scripted-team.ts";

describe("messages in a team", () => {
  test("reach a sibling by its label before its next step, and it answers", async () => {
    const { childOf, server } = await runScripted(
      [[member("ask"), member("help")], "waiting", "waiting", "over"],
      ({ task, last, turn }) => {
        if (task === "help") {
          if (turn === 0) return [teamCall("team_wait", { for: "message" })];
          return turn === 1
            ? [teamCall("team_send", { to: "ask", message: "It is 42." })]
            : "helped";
        }
        if (turn === 0) return [teamCall("team_send", { to: "help", message: "What is it?" })];
        return turn === 1 ? [teamCall("team_wait", { for: "message" })] : `heard ${last.at(-1)}`;
      },
      lead,
    );
    expect(childOf("ask")?.result?.text).toMatch(
      /^heard \[Message from help, a member of your team \(run \S+\)\]:\nIt is 42\.$/,
    );
    const help = server.turns.filter(({ task }) => task === "help");
    expect(help[1]?.last).toEqual([
      "A message arrived.",
      expect.stringMatching(/^\[Message from ask, .*\]:\nWhat is it\?$/),
    ]);
  });

  test("go to all other active members", async () => {
    const { received } = await runScripted(
      [
        [member("one"), member("two")],
        [teamCall("team_send", { to: "*", message: "Hurry" })],
        "waiting",
        "waiting",
        "over",
      ],
      ({ turn, last }) =>
        turn === 0 ? [teamCall("team_wait", { for: "message" })] : (last.at(-1) ?? ""),
      lead,
    );
    expect(received[2]?.[0]).toMatch(/^Sent to one \(run \w+\), two \(run \w+\)\.$/);
    expect(received.flat().join("\n")).toContain("Hurry");
  });

  test.each([
    ["nobody", "tow", '"tow" is not a member of your team. Did you mean `two`?'],
    ["itself", "one", '"one" is yourself.'],
    ["a member that has ended", "two", "two (run "],
    ["a run outside the team", "three", '"three" is not a member of your team.'],
  ])("to %s are refused", async (_, to, problem) => {
    const { childOf } = await runScripted(
      [
        [member("two"), spawn({ task: "three", label: "three" })],
        [teamCall("sessions_wait")],
        [member("one")],
        "waiting",
        "over",
      ],
      teamScript({ one: [teamCall("team_send", { to, message: "hi" })] }),
      lead,
    );
    expect(childOf("one")?.result?.text).toContain(problem);
  });

  test("are not offered to runs outside the team", async () => {
    const { server, received } = await runScripted([[spawn({ task: "x" })], "waiting", "over"]);
    const offered = server.turns.flatMap(({ tools }) => tools);
    expect(offered.filter((name) => /^(team|board)_/.test(name))).toEqual([]);
    expect(received).toHaveLength(3);
  });
});

describe("waiting for the team", () => {
  test("for a task ends when all tasks have ended", async () => {
    const { childOf } = await runScripted(
      [
        [add({ title: "A" })],
        [teamCall("board_update", { task: "t1", status: "failed" })],
        [member("one")],
        "waiting",
        "over",
      ],
      teamScript({ one: [teamCall("team_wait", { for: "task" })] }),
      lead,
    );
    expect(childOf("one")?.result?.text).toBe("All tasks have ended.");
  });

  test("ends when a task is free, when no other member is active, and when the time is over", async () => {
    const { childOf, received } = await runScripted(
      [
        [member("one")],
        [add({ title: "A" })],
        "waiting",
        [teamCall("team_wait")],
        [teamCall("board_claim")],
        [teamCall("team_wait", { for: "message" })],
        "over",
      ],
      teamScript({
        one: [
          teamCall("team_wait", { for: "task" }),
          teamCall("team_wait", { for: "message", seconds: 0.05 }),
        ],
      }),
      lead,
    );
    expect(childOf("one")?.result?.text).toBe("Nothing arrived within 0.05 seconds.");
    expect(received[4]?.[0]).toBe("Task t1 is free: A. Claim it with board_claim.");
    expect(received[6]?.[0]).toBe("No other member of your team is active.");
  });
});
