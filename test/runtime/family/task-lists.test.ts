import { describe, expect, test } from "vitest";
import {
  runScripted,
  spawnReportIn,
  spawn,
  turnAbout,
} from "../../fixtures/delegation/scripted-family.ts";

describe("sessions_spawn, lists of tasks", () => {
  test("works with parallel spawning: a list at once, with numbered labels", async () => {
    const { received, family } = await runScripted([
      [spawn({ task: ["A", "B", "C"], label: "part", parallel: true })],
      "waiting",
    ]);
    const { status, runs } = spawnReportIn(received[1]);
    expect(status).toBe("accepted");
    expect(runs.map(({ label }) => label)).toEqual(["part-1", "part-2", "part-3"]);
    const children = family.slice(1);
    expect(children.map(({ task, dependsOn }) => [task, dependsOn])).toEqual([
      ["A", []],
      ["B", []],
      ["C", []],
    ]);
  });

  test("runs a list that is not parallel in order, each task after the previous one", async () => {
    const { server, childOf } = await runScripted([
      [
        spawn({ task: "zero", label: "zero" }),
        spawn({
          task: ["A", "B", "C"],
          label: "part",
          dependsOn: "zero",
          includeDependencyResult: true,
        }),
      ],
      "waiting",
    ]);
    const ids = ["zero", "part-1", "part-2", "part-3"].map((label) => childOf(label)?.id);
    expect(childOf("part-1")?.dependsOn).toEqual([ids[0]]);
    expect(childOf("part-2")?.dependsOn).toEqual([ids[1]]);
    expect(childOf("part-3")?.dependsOn).toEqual([ids[2]]);
    expect(turnAbout(server, "[Current task]:\nC")?.task).toContain("did: [Previous step result]:");
  });

  test("accepts a part of a list if some tasks are invalid", async () => {
    const { received } = await runScripted([
      [spawn({ task: Array.from({ length: 22 }, (_, index) => `part ${index}`), parallel: true })],
      "waiting",
    ]);
    const { status, runs, errors = [] } = spawnReportIn(received[1]);
    expect(status).toBe("partial");
    expect(runs).toHaveLength(20);
    expect(errors.map(({ task, code }) => [task, code])).toEqual([
      [21, "limit-exceeded"],
      [22, "limit-exceeded"],
    ]);
  });

  test("accepts a plan of any length: waiting runs do not count as active", async () => {
    const chain = Array.from({ length: 30 }, (_, index) => `step ${index}`);
    const { received, family } = await runScripted([
      [
        spawn({ task: "first", label: "first" }),
        spawn({ task: chain, label: "chain" }),
        spawn({ task: chain, label: "fan", dependsOn: "first", parallel: true }),
      ],
      "waiting",
    ]);
    expect([0, 1, 2].map((call) => spawnReportIn(received[1], call).status)).toEqual(
      Array.from({ length: 3 }, () => "accepted"),
    );
    expect(family.map(({ status }) => status)).toEqual(
      Array.from({ length: 62 }, () => "succeeded"),
    );
  });

  test("reports why each task of a chain beyond a limit was not started", async () => {
    const chain = Array.from({ length: 5 }, (_, index) => `step ${index}`);
    const { received } = await runScripted(
      [[spawn({ task: chain, label: "chain" })], "waiting"],
      undefined,
      {},
      { limits: { familyRuns: 3 } },
    );
    const { status, runs, errors = [] } = spawnReportIn(received[1]);
    expect([status, runs.map(({ label }) => label)]).toEqual(["partial", ["chain-1", "chain-2"]]);
    expect(errors.map(({ task, code }) => [task, code])).toEqual(
      [3, 4, 5].map((task) => [task, "limit-exceeded"]),
    );
    for (const { message } of errors) expect(message).toContain("(limits.familyRuns)");
    expect(errors[2]?.message).toContain("on task 4, which was not started");
  });
});
