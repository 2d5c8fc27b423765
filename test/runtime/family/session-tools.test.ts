import { describe, expect, test } from "vitest";
import { runScripted, spawnReportIn, spawn } from "../../fixtures/delegation/scripted-family.ts";

describe("runs in the background", () => {
  test("an agent whose definition says background does not block its caller", async () => {
    const { received, result, family } = await runScripted(
      [[{ tool: "Agent", input: { type: "worker", prompt: "a" } }], "waiting", "done"],
      undefined,
      { worker: { background: true } },
    );
    expect(received[1]?.[0]).toMatch(/^Agent worker works in the background \(run .*\)/);
    expect(received[2]?.[0]).toContain("did: a");
    expect(result).toMatchObject({ status: "succeeded", text: "done" });
    expect(family[1]).toMatchObject({ background: true, status: "succeeded" });
  });

  test("a model cannot choose a model that reads or writes a file, by any of the tools", async () => {
    const { received, family } = await runScripted([
      [
        spawn({ task: "a", model: "record:taken.jsonl=mock" }),
        { tool: "Subagent", input: { instructions: "b", settings: { model: "replay:x" } } },
        {
          tool: "Subagent",
          input: { instructions: "c", settings: { provider: "scripted", model: "x" } },
        },
      ],
      "done",
    ]);
    const answers = received[1] ?? [];
    expect(answers).toHaveLength(3);
    for (const answer of answers)
      expect(answer).toMatch(
        /expected a (?:model of a )?provider, got "(?:record|replay|scripted)/,
      );
    expect(family).toHaveLength(1);
  });

  test("context_get reads the result and the context of any run of the family", async () => {
    const read: string[] = [];
    await runScripted(
      [
        [
          spawn({ task: "one", label: "one", sharedContext: { n: 1 } }),
          spawn({ task: "two", label: "two", dependsOn: "one" }),
        ],
        "waiting",
      ],
      ({ task, turn, last }) => {
        if (task === "one") return "the result of one";
        if (turn > 0) {
          read.push(...last);
          return "ok";
        }
        const asked = [
          { label: "one" },
          { label: "one", key: "n" },
          { label: "boss" },
          { key: "n" },
          { label: "a", runId: "b" },
        ];
        return asked.map((input) => ({ tool: "context_get", input }));
      },
    );
    expect(read[0]).toMatch(
      /^one \(run \w+\) \(succeeded\):\nthe result of one\n\nShared:\n- n \(shared by .*\): 1$/,
    );
    expect(read[1]).toBe("1");
    expect(read[2]).toContain('no run with the id or the label "boss"');
    expect(read[2]).toContain("Labels: one, two");
    expect(read[3]).toContain('Nothing is shared under the key "n". Keys: none.');
    expect(read[4]).toContain("expected runId or label, not both");
  });

  test("sessions_wait returns the results, which are not delivered again", async () => {
    const { received, result } = await runScripted([
      [spawn({ task: "a", label: "a" }), spawn({ task: "b" })],
      [{ tool: "sessions_wait", input: {} }],
      "done",
    ]);
    expect(received[2]?.[0]).toMatch(
      /^a \(run \w+\) succeeded:\ndid: a\n\nworker \(run \w+\) succeeded/,
    );
    expect(result.text).toBe("done");
    expect(received).toHaveLength(3);
  });

  test("sessions_wait with any ends with the first result, and lists active runs at its timeout", async () => {
    const go = Promise.withResolvers<void>();
    const { received } = await runScripted(
      [
        [spawn({ task: "slow", label: "slow" }), spawn({ task: "fast", label: "fast" })],
        [{ tool: "sessions_wait", input: { runIds: ["slow", "fast"], mode: "any" } }],
        [{ tool: "sessions_wait", input: { runIds: "slow", timeoutSeconds: 0.01 } }],
        () => {
          go.resolve();
          return [{ tool: "sessions_wait", input: {} }];
        },
        [{ tool: "sessions_wait", input: {} }],
        [{ tool: "sessions_wait", input: { runIds: ["nobody"] } }],
      ],
      async ({ task }) => {
        if (task === "slow") await go.promise;
        return `did: ${task}`;
      },
    );
    expect(received[2]?.[0]).toMatch(
      /^fast \(run \w+\) succeeded:\ndid: fast\n\nStill at work:\n- slow/,
    );
    expect(received[3]?.[0]).toMatch(
      /^The time is over, and not all of them have ended\.\n\nStill at work:\n- slow/,
    );
    expect(received[4]?.[0]).toMatch(/^slow \(run \w+\) succeeded:\ndid: slow$/);
    expect(received[5]?.[0]).toBe("You have no runs in the background.");
    expect(received[6]?.[0]).toContain("Labels: slow, fast");
  });

  test("sessions_list shows the caller's runs and their descendants", async () => {
    const { received } = await runScripted(
      [
        [spawn({ task: "lead", label: "lead" }), { tool: "sessions_wait", input: {} }],
        [{ tool: "sessions_list", input: {} }],
        "over",
      ],
      ({ task, turn }) =>
        task === "lead" && turn === 0 ? [spawn({ task: "below", label: "below" })] : "ok",
    );
    expect(received[2]?.[0]).toMatch(
      /^- lead \(run \w+\), agent worker: succeeded, \d turns, cost unknown\n {2}- below \(run \w+\), agent worker: succeeded, 1 turn, cost unknown$/,
    );
  });

  test("sessions_send steers only runs that the caller started", async () => {
    const results = Promise.withResolvers<string[]>();
    const sent = Promise.withResolvers<void>();
    const { received, run, cadre, childOf } = await runScripted(
      [
        [spawn({ task: "work", label: "w" })],
        [
          { tool: "sessions_send", input: { label: "w", message: "look at auth first" } },
          { tool: "sessions_send", input: { message: "to whom?" } },
        ],
        () => {
          sent.resolve();
          return [{ tool: "sessions_wait", input: {} }];
        },
        "over",
      ],
      async ({ turn, last }) => {
        if (turn === 0) {
          await sent.promise;
          return [{ tool: "LS", input: {} }];
        }
        results.resolve(last);
        return "ok";
      },
    );
    expect((await results.promise).at(-1)).toMatch(
      /^\[Message from agent boss \(run .*\)\]:\nlook at auth first$/,
    );
    expect(received[2]?.[0]).toMatch(/^Sent to w \(run \w+\)/);
    expect(received[2]?.[1]).toContain("expected runId or label, one of them");
    // The step names the message, so a repeated step after a crash sends no second one.
    const journal = await (await cadre.find(childOf("w")?.id ?? "")).journal();
    const queued = journal.filter((event) => event.type === "message-queued");
    expect(queued).toMatchObject([{ message: { id: `m-${run.id}/tool/2/0` } }]);
  });

  test("sessions_cancel ends a run that the caller started with its descendants, and refuses other runs", async () => {
    const refused: string[] = [];
    const working = Promise.withResolvers<void>();
    const { childOf, received, result } = await runScripted(
      [
        [spawn({ task: "lead", label: "lead" }), spawn({ task: "spy", label: "spy" })],
        async () => {
          await working.promise;
          return [{ tool: "sessions_cancel", input: { label: "lead", reason: "enough" } }];
        },
        [{ tool: "sessions_cancel", input: { label: "lead" } }],
        "over",
      ],
      async ({ task, turn, last, agent }) => {
        if (task === "spy") {
          if (turn === 0) return [{ tool: "sessions_cancel", input: { label: "lead" } }];
          refused.push(...last);
          return agent;
        }
        if (task === "lead" && turn === 0) return [spawn({ task: "below", label: "below" })];
        if (task === "below") working.resolve();
        return await new Promise<never>(() => undefined);
      },
    );
    expect(result.status).toBe("succeeded");
    expect(childOf("lead")?.result).toMatchObject({
      status: "cancelled",
      failure: { message: "enough" },
    });
    expect(childOf("below")?.status).toBe("cancelled");
    expect(received[2]?.[0]).toMatch(/^Cancelled: lead/);
    expect(received[3]?.[0]).toContain("had already ended");
    expect(refused[0]).toContain('"lead" is not a run you started. Yours: none.');
  });

  test("sessions_spawn limits a run by time and budget, and refuses a budget above its caller's", async () => {
    const { childOf, received, cadre } = await runScripted(
      [
        [
          spawn({ task: "a", label: "a", timeoutSeconds: 7, budget: { toolCalls: 1 } }),
          spawn({ task: "b", label: "b", budget: { tokens: 9_000_000 } }),
        ],
        "waiting",
      ],
      () => [{ tool: "LS", input: {} }],
      { boss: { budget: { tokens: 1_000_000 } } },
    );
    const [event] = await (await cadre.find(childOf("a")?.id ?? "")).journal();
    expect(event).toMatchObject({ spec: { timeoutSeconds: 7, budget: { toolCalls: 1 } } });
    expect(childOf("a")?.result?.failure).toMatchObject({
      code: "budget-exceeded",
      details: { resource: "toolCalls", used: 1 },
    });
    expect(received.at(-1)?.at(-1)).toContain("has ended: failed, budget-exceeded");
    const refused = spawnReportIn(received[1], 1);
    expect(refused).toMatchObject({ status: "error", errors: [{ code: "budget-exceeded" }] });
    expect(childOf("b")).toBeUndefined();
  });

  test("a detached run continues, and the parent ends without it", async () => {
    const over = Promise.withResolvers<void>();
    const { childOf, received, result, cadre } = await runScripted(
      [[spawn({ task: "long", label: "long", detach: true })], "not waiting"],
      async () => {
        await over.promise;
        return "done at last";
      },
    );
    expect([result.text, received.length]).toEqual(["not waiting", 2]);
    expect(childOf("long")).toMatchObject({ detached: true, status: "running" });
    over.resolve();
    const long = await cadre.find(childOf("long")?.id ?? "");
    expect(await long.result()).toMatchObject({ status: "succeeded", text: "done at last" });
  });

  test("grandchildren deliver their results to their own parent, and that to its own", async () => {
    const { received, server } = await runScripted(
      [[spawn({ task: "lead", label: "lead" })], "waiting", "over"],
      ({ task, turn, last }) => {
        if (task === "below") return "found it";
        if (turn === 0) return [spawn({ task: "below", label: "below" })];
        return turn === 1 ? "waiting" : `lead heard: ${last.at(-1)}`;
      },
    );
    const [first, second] = received.slice(1).map((last) => last.at(-1));
    expect(first).not.toContain("below");
    expect(second).toMatch(/background run lead .*\n\nlead heard: \[The background run below /);
    expect(
      server.turns.filter(({ last }) => last.at(-1)?.startsWith("[The background run below")),
    ).toHaveLength(1);
  });
});
