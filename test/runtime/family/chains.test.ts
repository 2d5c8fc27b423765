import { describe, expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import {
  runScripted,
  type SpawnReport,
  spawnReportIn,
  spawn,
  turnAbout,
} from "../../fixtures/delegation/scripted-family.ts";

describe("sessions_spawn, chains", () => {
  test("backwards compatible: without chain parameters it starts a run and returns at once", async () => {
    const { result, received, family } = await runScripted([
      [spawn({ task: "alone" })],
      "waiting",
      "done",
    ]);
    expect(spawnReportIn(received[1])).toEqual({
      status: "accepted",
      runs: [{ runId: family[1]?.id, label: null, status: expect.any(String) as string }],
    });
    expect(received[2]?.[0]).toContain("did: alone");
    expect(result).toMatchObject({ status: "succeeded", text: "done" });
  });

  test.each(["chainAfter", "dependsOn"])(
    "can specify %s: the sub-agent waits for the dependency to complete before it starts",
    async (parameter) => {
      const order: string[] = [];
      const { result, childOf } = await runScripted(
        [
          [spawn({ task: "one", label: "first" }), spawn({ task: "two", [parameter]: "first" })],
          "waiting",
        ],
        ({ task }) => {
          order.push(task);
          return "ok";
        },
      );
      expect(result.status).toBe("succeeded");
      expect(order).toEqual(["one", "two"]);
      expect(childOf("first")?.dependsOn).toEqual([]);
    },
  );

  test("chainAfter and dependsOn are synonyms and are combined, by id and by label", async () => {
    const { family, childOf } = await runScripted([
      [spawn({ task: "a", label: "a" }), spawn({ task: "b", label: "b" })],
      ({ last }) => {
        const [first, second] = [spawnReportIn(last, 0).runs[0], spawnReportIn(last, 1).runs[0]];
        const short = second?.runId.split("-")[1] ?? "";
        return [
          spawn({ task: "c", label: "c", chainAfter: first?.runId ?? "", dependsOn: ["b", short] }),
        ];
      },
      "waiting",
    ]);
    expect(childOf("c")?.dependsOn).toEqual([family[1]?.id, family[2]?.id]);
  });

  test("a list's own labels count at once, in the same message and for every tool", async () => {
    const { received, family, childOf } = await runScripted([
      [
        spawn({ task: ["a", "b", "c"], label: "chain" }),
        spawn({ task: "after", label: "after", dependsOn: ["chain-3", "chain-1"] }),
        { tool: "sessions_send", input: { label: "chain-2", message: "take care" } },
      ],
      "waiting",
    ]);
    const ids = spawnReportIn(received[1]).runs.map(({ runId }) => runId);
    expect(spawnReportIn(received[1], 1).status).toBe("accepted");
    expect(childOf("after")?.dependsOn).toEqual([ids[2], ids[0]]);
    expect(received[1]?.[2]).not.toContain("no run with the id");
    expect(family.map(({ status }) => status)).toEqual(Array(5).fill("succeeded"));
  });

  test("a label of two lists refers to the newest run, in the order of the calls", async () => {
    const { received, childOf } = await runScripted([
      [
        spawn({ task: ["a", "b", "c"], label: "chain" }),
        spawn({ task: "between", label: "between", dependsOn: "chain-2" }),
        spawn({ task: ["d", "e"], label: "chain" }),
        spawn({ task: "after", label: "after", dependsOn: ["chain-2", "chain-3"] }),
      ],
      "waiting",
    ]);
    const [first, , second] = [0, 1, 2].map((index) => spawnReportIn(received[1], index).runs);
    expect(childOf("between")?.dependsOn).toEqual([first?.[1]?.runId]);
    expect(childOf("after")?.dependsOn).toEqual([second?.[1]?.runId, first?.[2]?.runId]);
  });

  test("in a list whose tasks name their own labels, the first is refused and the rest with it", async () => {
    const { received, family } = await runScripted([
      [
        spawn({ task: ["a", "b"], label: "chain", dependsOn: "chain-1" }),
        spawn({ task: "after", dependsOn: "chain-2" }),
      ],
      "done",
    ]);
    expect(spawnReportIn(received[1])).toMatchObject({
      status: "error",
      errors: [{ code: "dependency-cycle" }, { code: "dependency-cycle" }],
    });
    expect(spawnReportIn(received[1], 1).errors?.[0]?.code).toBe("dependency-not-found");
    expect(family).toHaveLength(1);
  });

  test("can include the dependency's result in the task via includeDependencyResult", async () => {
    const { server } = await runScripted([
      [
        spawn({ task: "look", label: "a" }),
        spawn({ task: "look twice", label: "b" }),
        spawn({ task: "use one", chainAfter: "a", includeDependencyResult: true }),
        spawn({ task: "use both", dependsOn: ["b", "a"], includeDependencyResult: true }),
      ],
      "waiting",
    ]);
    expect(turnAbout(server, "use one")?.task).toBe(
      "[Previous step result]:\ndid: look\n\n[Current task]:\nuse one",
    );
    expect(turnAbout(server, "use both")?.task).toBe(
      "[Previous step result]: b\ndid: look twice\n\n[Previous step result]: a\ndid: look\n\n[Current task]:\nuse both",
    );
  });

  test("a dependency that ended earlier causes no wait", async () => {
    const { childOf } = await runScripted([
      [spawn({ task: "a", label: "a" }), { tool: "sessions_wait", input: {} }],
      [spawn({ task: "b", label: "b", dependsOn: "a" })],
      "waiting",
    ]);
    expect(childOf("b")?.status).toBe("succeeded");
  });

  test("handles dependency errors: the dependent ends as dependency-failed, or runs and gets the failure", async () => {
    const { server, childOf, result } = await runScripted(
      [
        [
          spawn({ task: "break", label: "broken" }),
          spawn({ task: "b", label: "fails", dependsOn: "broken" }),
          spawn({ task: "c", label: "fails too", dependsOn: "fails" }),
          spawn({ task: "d", label: "runs", dependsOn: "broken", onDependencyError: "run" }),
        ],
        "waiting",
      ],
      ({ task }) => (task === "break" ? [{ tool: "LS", input: {} }] : "fine"),
      { worker: { max_turns: 1 } },
    );
    expect(result.status).toBe("succeeded");
    expect(childOf("fails")?.result).toMatchObject({
      status: "failed",
      failure: { code: "dependency-failed", cause: { code: "limit-exceeded" } },
    });
    expect(childOf("fails too")?.result?.failure?.code).toBe("dependency-failed");
    expect(childOf("runs")?.status).toBe("succeeded");
    expect(turnAbout(server, "[Current task]:\nd")?.task).toContain("did not succeed: failed");
  });

  test("refuses a missing dependency at once, and lists the existing runs", async () => {
    const { received, family } = await runScripted([
      [
        spawn({ task: "a", label: "research" }),
        spawn({ task: "b", label: "b", dependsOn: "reserch" }),
      ],
      "waiting",
    ]);
    const { status, errors } = spawnReportIn(received[1], 1);
    expect(status).toBe("error");
    expect(errors?.[0]).toMatchObject({ code: "dependency-not-found", label: "b", task: 1 });
    expect(errors?.[0]?.message).toContain("Did you mean `research`? Labels: research.");
    expect(family).toHaveLength(2);
  });

  test("refuses a cycle, and shows it", async () => {
    const spawned: SpawnReport[] = [];
    const { family } = await runScripted(
      [
        [
          spawn({ task: "parent", label: "parent" }),
          spawn({ task: "after", label: "after", dependsOn: "parent" }),
        ],
        "waiting",
      ],
      ({ task, turn, last }) => {
        if (task !== "parent") return "ok";
        if (turn > 0) {
          spawned.push(...last.map((_, index) => spawnReportIn(last, index)));
          return "ok";
        }
        const self = spawn({ task: "x", label: "self", dependsOn: "self" });
        const [up, over] = ["parent", "after"].map((dependsOn) => spawn({ task: "x", dependsOn }));
        return [self, up ?? self, over ?? self];
      },
    );
    expect(family).toHaveLength(3);
    expect(spawned.map(({ errors }) => errors?.[0]?.code)).toEqual(
      Array(3).fill("dependency-cycle"),
    );
    expect(spawned.map(({ errors }) => errors?.[0]?.message)).toEqual([
      expect.stringContaining("self -> self"),
      expect.stringContaining("the new run -> parent -> the new run"),
      expect.stringContaining("the new run -> after -> parent -> the new run"),
    ]);
  });

  test("reports all problems of its arguments, and starts nothing", async () => {
    const { received, family } = await runScripted([
      [
        spawn({ task: [], label: "x\ny", retries: -1, nonsense: 1 }),
        spawn({ task: "a", agentId: "nobody" }),
        spawn({ task: "a", budget: { tokens: 0 } }),
      ],
      "over",
    ]);
    for (const part of ["task", "label", "retries", "nonsense"]) {
      expect(received[1]?.[0]).toContain(part);
    }
    expect(spawnReportIn(received[1], 1).errors?.[0]?.message).toContain("Available: boss, worker");
    expect(received[1]?.[2]).toContain("budget.tokens");
    expect(family).toHaveLength(1);
  });

  test("starts an agent like the caller by default, and retries as often as requested", async () => {
    const asked: string[] = [];
    const server = await startModelServer(({ agent, task, turn }) => {
      asked.push(`${agent}: ${task}`);
      if (task !== "go") return asked.length < 4 ? [{ tool: "LS", input: {} }] : "well";
      const call = { tool: "sessions_spawn", input: { task: "again", label: "x", retries: 2 } };
      return turn === 0 ? [call] : "over";
    });
    const project = createModelProject(server);
    project.writeAgent("boss", { max_turns: 3, temperature: 0.5 });
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "boss", task: "go" });
    await run.result();
    const [, child] = await cadre.tree(run.id);
    expect(child).toMatchObject({ agent: "boss", task: "again", label: "x" });
    expect(child?.status).toBe("succeeded");
  });
});
