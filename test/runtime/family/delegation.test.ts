import { describe, expect, test } from "vitest";
import {
  agentCall,
  hang,
  type ServerReply,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

/** Runs `main` in a project with `agents`. Returns the messages that it received and the runs of the family. */
async function delegate(
  agents: Record<string, Record<string, unknown>>,
  main: readonly ServerReply[],
  others: (turn: {
    agent: string;
    task: string;
    turn: number;
  }) => ServerReply | Promise<ServerReply> = ({ agent }) => `${agent} is done`,
  options: Parameters<ReturnType<typeof createModelProject>["open"]>[0] = {},
) {
  const server = await startModelServer((turn) =>
    turn.agent === "main" ? (main[turn.turn] ?? "over") : others(turn),
  );
  const project = createModelProject(server);
  for (const [name, fields] of Object.entries(agents)) project.writeAgent(name, fields);
  const cadre = await project.open(options);
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const result = await run.result();
  const received = server.turns.filter(({ agent }) => agent === "main").map(({ last }) => last);
  return { cadre, server, project, result, received, family: await cadre.tree(run.id) };
}

describe("the Agent tool", () => {
  test("runs an agent and returns its answer to the caller", async () => {
    const { result, received, family } = await delegate({ worker: {} }, [
      [agentCall("worker", "part one"), agentCall("worker", "part two")],
      "all done",
    ]);
    expect(result).toMatchObject({ status: "succeeded", text: "all done" });
    expect(received[1]).toEqual(["worker is done", "worker is done"]);
    expect(family.map(({ agent, task, depth, status }) => [agent, task, depth, status])).toEqual([
      ["main", "go", 0, "succeeded"],
      ["worker", "part one", 1, "succeeded"],
      ["worker", "part two", 1, "succeeded"],
    ]);
  });

  test("lists the agents that an agent may delegate to", async () => {
    const { server } = await delegate({ worker: {}, lead: { agents: ["worker"] } }, [
      [agentCall("lead", "x")],
      "over",
    ]);
    const description = (agent: string): string =>
      server.turns.find((turn) => turn.agent === agent)?.describe("Agent") ?? "";
    expect(description("main")).toMatch(/- lead: plays lead\n- worker: plays worker\n- main/);
    expect(description("lead")).toContain("- worker: plays worker");
    expect(description("lead")).not.toContain("- lead");
  });

  test("lists the agents when called with an unknown one", async () => {
    const { received, result } = await delegate({ worker: {} }, [
      [agentCall("wroker", "x")],
      "over",
    ]);
    expect(result.status).toBe("succeeded");
    expect(received[1]?.[0]).toContain(
      'Unknown agent: "wroker". Did you mean `worker`? Available: worker, main, auto-context, code-map.',
    );
  });

  test("reports the problem of an unusable agent", async () => {
    const { received } = await delegate({ worker: { timeout: "soon" } }, [
      [agentCall("worker", "x")],
      "over",
    ]);
    expect(received[1]?.[0]).toMatch(/Agent worker cannot be used: .*worker\.md:\d+:\d+ error /);
  });

  test("refuses an agent that the caller may not delegate to", async () => {
    const { received } = await delegate({ worker: {}, other: {}, main: { agents: ["worker"] } }, [
      [agentCall("other", "x")],
      "over",
    ]);
    expect(received[1]?.[0]).toContain("Agent main may not delegate to other. Available: worker.");
  });

  test("inserts the task into the instructions, literally", async () => {
    const task = "cost: $& {{task}} `x`";
    const server = await startModelServer(() => "done");
    const project = createModelProject(server);
    project.writeAgent("worker", {}, "Do this: {{task}}!");
    const cadre = await project.open();
    await (await cadre.spawn({ agent: "worker", task })).result();
    expect(server.turns[0]?.system).toContain(`Do this: ${task}!`);
  });

  test("returns a child's failure to the parent, which can act on it", async () => {
    const { received, result } = await delegate(
      { worker: { max_turns: 1 } },
      [[agentCall("worker", "x")], "I did it myself"],
      () => [{ tool: "LS", input: {} }],
    );
    expect(result).toMatchObject({ status: "succeeded", text: "I did it myself" });
    expect(received[1]?.[0]).toMatch(
      /Agent worker did not succeed \(failed, limit-exceeded, run .*\)/,
    );
  });

  test("ends a child at the requested timeout", async () => {
    const { received, family } = await delegate(
      { worker: {} },
      [[agentCall("worker", "x", { timeout: 0.3 })], "over"],
      () => hang,
    );
    expect(received[1]?.[0]).toContain("timed-out");
    expect(family[1]).toMatchObject({ status: "timed-out" });
  });

  test("reports the problems of a request, and creates no run for it", async () => {
    const { received, family } = await delegate({ worker: {} }, [
      [agentCall("worker", "x", { timeout: 1e9 }), { tool: "Agent", input: { type: "worker" } }],
      "over",
    ]);
    expect(received[1]?.[0]).toContain("timeoutSeconds");
    expect(received[1]?.[1]).toContain("The arguments of Agent are not valid");
    expect(family).toHaveLength(1);
  });
});

describe("the limits", () => {
  const deeper = ({ task }: { task: string }): ServerReply => {
    const depth = Number(task);
    return [agentCall("worker", `${depth + 1}`)];
  };

  test("allow three levels and refuse the fourth", async () => {
    const refused: string[] = [];
    const server = await startModelServer(({ task, turn, last }) => {
      if (turn === 0) return deeper({ task });
      if (last[0]?.includes("Subagents cannot") === true) refused.push(`${task}: ${last[0]}`);
      return "over";
    });
    const project = createModelProject(server);
    project.writeAgent("worker");
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "worker", task: "0" });
    expect(await run.result()).toMatchObject({ status: "succeeded" });
    expect((await cadre.tree(run.id)).map(({ depth }) => depth)).toEqual([0, 1, 2, 3]);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatch(/^3: .*Subagents cannot create other subagents/);
  });

  test("of the configuration control who may delegate at all", async () => {
    const server = await startModelServer(({ agent, turn }) =>
      turn === 0 ? [agentCall("worker", "x")] : `${agent} is over`,
    );
    const project = createModelProject(server);
    project.writeAgent("worker", {});
    project.write(".cadre/config.yaml", "delegation: { nested: false }\n");
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    expect(await run.result()).toMatchObject({ status: "succeeded" });
    expect(await cadre.tree(run.id)).toHaveLength(2);
    const received = server.turns.find(({ agent, turn }) => agent === "worker" && turn === 1);
    expect(received?.last[0]).toContain("delegation.nested is false");
  });

  test("make an agent with max_depth 0 a leaf", async () => {
    const texts: string[] = [];
    const { family } = await delegate(
      { leaf: { max_depth: 0 } },
      [[agentCall("leaf", "x")], "over"],
      (turn) => {
        texts.push(...(turn as unknown as { last: string[] }).last);
        return turn.turn === 0 ? [agentCall("leaf", "y")] : "over";
      },
    );
    expect(texts[1]).toContain("Subagents cannot create other subagents");
    expect(family).toHaveLength(2);
  });

  test("allow 20 of 25 calls in one message and refuse five", async () => {
    const calls = Array.from({ length: 25 }, (_, index) => agentCall("worker", `part ${index}`));
    const refused: string[] = [];
    const fiveRefused = Promise.withResolvers<void>();
    const countRefusals = ({ text }: { text: string }): undefined => {
      if (text.includes("limits.children") && refused.push(text) === 5) fiveRefused.resolve();
    };
    // A worker that ends earlier would make room for another one.
    const work = (): Promise<string> => fiveRefused.promise.then(() => "worker is done");
    const { received, family } = await delegate({ worker: {} }, [calls, "over"], work, {
      hooks: [{ afterTool: countRefusals }],
      // The workers must leave a slot for the run that delegates.
      limits: { concurrency: 100 },
    });
    expect(refused).toHaveLength(5);
    expect(received[1]?.filter((text) => text === "worker is done")).toHaveLength(20);
    expect(family).toHaveLength(21);
  });

  test("count a family over its whole life", async () => {
    const turns = Array.from({ length: 4 }, (_, index) => [agentCall("worker", `${index}`)]);
    const { received, family } = await delegate({ worker: {} }, [...turns, "over"], undefined, {
      limits: { familyRuns: 3 },
    });
    expect(family).toHaveLength(3);
    expect(received[3]?.[0]).toContain("This family has had 3 runs");
  });

  test("of one run at a time do not prevent a deep family from finishing", async () => {
    const server = await startModelServer(({ task, turn }) =>
      turn === 0 && task.length < 3
        ? [agentCall("worker", `${task}a`), agentCall("worker", `${task}b`)]
        : "done",
    );
    const project = createModelProject(server);
    project.writeAgent("worker");
    const cadre = await project.open({ limits: { concurrency: 1 } });
    const run = await cadre.spawn({ agent: "worker", task: "r" });
    expect(await run.result()).toMatchObject({ status: "succeeded" });
    expect(await cadre.tree(run.id)).toHaveLength(7);
  });
});

describe("the rights of a child", () => {
  test("never exceed its parent's tools", async () => {
    const { server, family } = await delegate(
      { worker: { tools: "Read, Bash" }, main: { tools: "Read, Agent" } },
      [[agentCall("worker", "x")], "over"],
    );
    expect(server.turns.find(({ agent }) => agent === "worker")?.tools).toEqual(["Read"]);
    expect(family[1]?.result?.warnings.join()).toContain("its parent does not have");
  });

  test("never exceed its parent's permissions", async () => {
    const received: string[] = [];
    await delegate(
      { worker: { permission_mode: "auto" }, main: { permission_mode: "plan" } },
      [[agentCall("worker", "x")], "over"],
      (turn) => {
        received.push(...(turn as unknown as { last: string[] }).last);
        return turn.turn === 0 ? [{ tool: "Bash", input: { command: "touch made" } }] : "over";
      },
    );
    expect(received[1]).toContain("Permission denied");
  });
});

describe("the model of a definition", () => {
  test("falls back to the parent's if it is unusable, with a warning in the result", async () => {
    const { received, family } = await delegate({ worker: { model: "nobody:nothing" } }, [
      [agentCall("worker", "x")],
      "over",
    ]);
    expect(received[1]?.[0]).toMatch(/worker is done.*\[Warning: The model `nobody:nothing` of/s);
    expect(family[1]).toMatchObject({ model: "mock:mock", status: "succeeded" });
  });

  test("falls back to the parent's if its provider does not have it", async () => {
    const { received, server } = await delegate({ worker: { model: "mock:missing" } }, [
      [agentCall("worker", "x")],
      "over",
    ]);
    expect(received[1]?.[0]).toMatch(
      /worker is done.*\[Warning: mock:missing failed \(not-found\); continues with mock:mock/s,
    );
    const asked = server.turns.filter(({ agent }) => agent === "worker").map(({ model }) => model);
    expect(asked).toEqual(["missing", "mock"]);
  });

  test.each(["scripted:script.yaml", "replay:talk.ndjson", " record:talk.ndjson=mock:mock"])(
    "%s has no effect in an untrusted project",
    async (model) => {
      const { family } = await delegate({ worker: { model } }, [
        [agentCall("worker", "x")],
        "over",
      ]);
      expect(family[1]).toMatchObject({ model: "mock:mock", status: "succeeded" });
      expect(family[1]?.result?.warnings.join()).toMatch(
        /not trusted\. Read it, then type `cadre trust`/,
      );
    },
  );

  test("that names a file is used in a trusted project", async () => {
    const server = await startModelServer(() => "recorded answer");
    const project = createModelProject(server);
    project.writeAgent("worker", { model: "record:talk.ndjson=mock:mock" });
    const cadre = await project.open({ trust: true });
    const result = await (await cadre.spawn({ agent: "worker", task: "x" })).result();
    expect(result).toMatchObject({ status: "succeeded", warnings: [] });
  });
});
