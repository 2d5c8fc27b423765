import { describe, expect, test } from "vitest";
import {
  runScripted,
  spawnReportIn,
  spawn,
  turnAbout,
} from "../../fixtures/delegation/scripted-family.ts";

describe("sessions_spawn, shared context", () => {
  const context = { projectGoal: "a web app", constraints: ["budget", "time"] };
  const lines = '[Shared Context]:\n- constraints: ["budget","time"]\n- projectGoal: "a web app"';

  test("can pass sharedContext, which the sub-agent receives, injected into its system prompt", async () => {
    const { server } = await runScripted([
      [spawn({ task: "look", sharedContext: context })],
      "waiting",
    ]);
    expect(turnAbout(server, "look")?.system).toContain(lines);
    expect(server.turns.find(({ agent }) => agent === "boss")?.system).not.toContain("Shared");
  });

  test("is stored in the registry, with its source", async () => {
    const read: string[] = [];
    await runScripted(
      [[spawn({ task: "look", label: "l", sharedContext: context })], "waiting"],
      ({ turn, last }) => {
        if (turn === 0) return [{ tool: "context_get", input: {} }];
        read.push(...last);
        return "ok";
      },
    );
    expect(read[0]).toMatch(
      /- projectGoal \(shared by boss \(run \w+\) for l \(run \w+\)\): "a web/,
    );
  });

  test("works with parallel spawning: all sub-agents get the same context", async () => {
    const { server } = await runScripted([
      [spawn({ task: ["A", "B", "C"], parallel: true, sharedContext: context })],
      "waiting",
    ]);
    for (const task of ["A", "B", "C"]) expect(turnAbout(server, task)?.system).toContain(lines);
  });

  test("works with chained sub-agents: one can access prior results by a reference", async () => {
    const { server, childOf } = await runScripted([
      [
        spawn({ task: "Research", label: "research" }),
        spawn({ task: "Design", label: "design", sharedContext: { $research: "reference" } }),
        spawn({ task: "Lost", label: "lost", sharedContext: { $nobody: "reference" } }),
      ],
      "waiting",
    ]);
    expect(turnAbout(server, "Design")?.system).toContain('- research: "did: Research"');
    expect(childOf("design")?.dependsOn).toEqual([childOf("research")?.id]);
    expect(childOf("lost")).toBeUndefined();
  });

  test("the parent's is inherited, overridden and extended by its children, but not changed", async () => {
    const { server } = await runScripted(
      [[spawn({ task: "lead", sharedContext: { goal: "one", tone: "dry" } })], "waiting"],
      ({ task, turn }) => {
        if (task !== "lead" || turn > 0) return "ok";
        const sharedContext = { tone: "warm", size: 3 };
        return [spawn({ task: "below", sharedContext }), spawn({ task: "beside" })];
      },
    );
    const shared = (task: string): string | undefined =>
      turnAbout(server, task)?.system.split("[Shared Context]:\n")[1];
    expect(shared("lead")).toBe('- goal: "one"\n- tone: "dry"');
    expect(shared("below")).toBe('- goal: "one"\n- size: 3\n- tone: "warm"');
    expect(shared("beside")).toBe('- goal: "one"\n- tone: "dry"');
  });

  test("backwards compatible: without a context the instructions do not mention one", async () => {
    const { server } = await runScripted([[spawn({ task: "look" })], "waiting"]);
    expect(turnAbout(server, "look")?.system).not.toContain("[Shared Context]");
  });

  test("is refused if it is too large or repeats a key", async () => {
    const { received } = await runScripted([
      [
        spawn({ task: "a", sharedContext: { text: "x".repeat(1024 * 1024) } }),
        spawn({ task: "a", label: "a" }),
        spawn({ task: "b", sharedContext: { a: 1, $a: "reference" } }),
      ],
      "waiting",
    ]);
    expect(spawnReportIn(received[1], 0).errors?.[0]?.message).toContain("at most 1048576 bytes");
    expect(spawnReportIn(received[1], 2).errors?.[0]?.message).toContain('"a" is set twice');
  });

  test("a long value is cut, and context_get returns it whole, whatever tools the agent has", async () => {
    const read: string[] = [];
    const long = "y".repeat(5000);
    const { server } = await runScripted(
      [[spawn({ task: "look", sharedContext: { long } })], "waiting"],
      ({ turn, last, system }) => {
        if (turn > 0) {
          read.push(...last);
          return "ok";
        }
        const call = /context_get (\{.*?\})\]/.exec(system)?.[1] ?? "{}";
        return [{ tool: "context_get", input: JSON.parse(call) as Record<string, unknown> }];
      },
      { worker: { tools: "Read" } },
    );
    expect(read).toEqual([long]);
    expect(turnAbout(server, "look")?.tools).toEqual(["Read", "context_get"]);
  });
});
