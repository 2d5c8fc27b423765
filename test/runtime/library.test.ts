import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CadreError, type RunEvent } from "../../src/index.ts";
import { hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

const code = (name: string): unknown => expect.objectContaining({ code: name });

describe("the library", () => {
  test("lets an agent in code read the files it edits", async () => {
    const base = { description: "d", systemPrompt: "s" };
    const editor = { ...base, name: "editor", tools: ["Edit"] };
    const searcher = { ...base, name: "searcher", tools: ["Grep"] };
    const { agents } = await (
      await createModelProject().open({ agents: [editor, searcher] })
    ).agents();
    expect(agents.slice(0, 2).map(({ tools }) => tools)).toEqual([["Edit", "Read"], ["Grep"]]);
  });

  test("runs an agent, and shows it during and after the run", async () => {
    const server = await startModelServer(({ turn }) =>
      turn === 0 ? [{ tool: "LS", input: {} }] : "It is done.",
    );
    const project = createModelProject(server);
    project.writeAgent("worker");
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "worker", task: "go", label: "first" });
    const events: RunEvent[] = [];
    for await (const event of run.events()) events.push(event);
    const result = await run.result();
    const usage = {
      inputTokens: 20,
      outputTokens: 10,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    };
    const took = { turns: 2, toolCalls: 1, usage, cost: null };
    expect(result).toEqual({
      runId: run.id,
      status: "succeeded",
      text: "It is done.",
      runs: 1,
      ...took,
      own: took,
      durationMs: expect.any(Number),
      warnings: [],
    });
    expect(events[0]?.type).toBe("run-created");
    expect(events.at(-1)).toMatchObject({ type: "run-finished", result });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(await run.state()).toMatchObject({ status: "succeeded", label: "first" });
    expect((await cadre.find("last")).id).toBe(run.id);
    expect((await cadre.find(run.id.split("-")[1] ?? "")).id).toBe(run.id);
    expect(await cadre.runs({ agent: "worker" })).toHaveLength(1);
    await expect(cadre.find("nothing")).rejects.toEqual(code("run-not-found"));
  });

  test("does not throw for a run that fails", async () => {
    const server = await startModelServer(() => [{ tool: "LS", input: {} }]);
    const project = createModelProject(server);
    project.writeAgent("worker", { max_turns: 1 });
    const run = await (await project.open()).spawn({ agent: "worker", task: "go" });
    expect(await run.result()).toMatchObject({
      status: "failed",
      failure: { code: "limit-exceeded" },
    });
  });

  test("accepts agents in code, prompts and programs", async () => {
    const server = await startModelServer(({ agent, task }) => `${agent}: ${task}`);
    const cadre = await createModelProject(server).open({
      agents: [
        { name: "poet", description: "writes", systemPrompt: "You are poet." },
        {
          name: "boss",
          description: "delegates",
          run: async ({ task }, { delegate }) => {
            const parts = await Promise.all(
              ["a", "b"].map((part) => delegate({ agent: "poet", task: `${task} ${part}` })),
            );
            return parts.map(({ text }) => text).join(", ");
          },
        },
      ],
    });
    const run = await cadre.spawn({ agent: "boss", task: "write" });
    expect(await run.result()).toMatchObject({ text: "poet: write a, poet: write b" });
    expect(await cadre.tree(run.id)).toHaveLength(3);
  });

  test("provides its tools to a loop of your own", async () => {
    const server = await startModelServer(({ task }) => (task === "hang" ? hang : `did ${task}`));
    const project = createModelProject(server);
    project.writeAgent("worker");
    const cadre = await project.open();
    const { agent } = await cadre.tools();
    expect(agent.description).toContain("- worker: plays worker");
    const calls = [
      { prompt: "one", type: "worker" },
      { prompt: "two", type: "worker" },
    ];
    const inputs = calls.map((call) => agent.inputSchema.parse(call));
    expect(await Promise.all(inputs.map((input) => agent.execute(input)))).toEqual([
      "did one",
      "did two",
    ]);
    await expect(agent.execute({ prompt: "x", type: "nobody" })).rejects.toThrow(
      'Unknown agent: "nobody". Available: worker, main, auto-context, code-map.',
    );
    const stopping = new AbortController();
    const aborted = agent.execute(
      { prompt: "hang", type: "worker" },
      { abortSignal: stopping.signal },
    );
    await server.hung(1);
    stopping.abort();
    expect(await aborted).toContain("did not succeed (cancelled");
    await server.released();
  });

  test("reuses the connection to the model's server after a run has ended", async () => {
    const server = await startModelServer(() => "done");
    const cadre = await createModelProject(server).open();
    for (let count = 0; count < 5; count += 1) {
      await (await cadre.spawn({ agent: "main", task: `${count}` })).result();
    }
    expect(server.connections).toBe(1);
  });

  test("creates no files in a folder without runs", async () => {
    const project = createModelProject();
    const cadre = await project.open();
    expect(await cadre.runs()).toEqual([]);
    expect(await cadre.resume()).toEqual([]);
    expect(await cadre.prune(0)).toEqual({ runs: 0, freedBytes: 0, keptWorktrees: [] });
    await cadre.agents();
    expect(readdirSync(project.folder)).toEqual([".git"]);
  });
});

describe("resuming", () => {
  test("does nothing if every run has ended", async () => {
    const server = await startModelServer(() => "done");
    const project = createModelProject(server);
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const result = await run.result();
    expect(await cadre.resume()).toEqual([]);
    const [again] = await cadre.resume(run.id);
    expect(await again?.result()).toEqual(result);
    expect(server.turns).toHaveLength(1);
  });
});

describe("closing", () => {
  test("refuses every call afterwards, and may be repeated", async () => {
    const server = await startModelServer(() => "done");
    const project = createModelProject(server);
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await run.result();
    await cadre.close();
    await cadre.close();
    await expect(cadre.spawn({ agent: "main", task: "go" })).rejects.toEqual(code("closed"));
    await expect(cadre.runs()).rejects.toEqual(code("closed"));
    await expect(cadre.resume()).rejects.toEqual(code("closed"));
    await expect(run.state()).rejects.toEqual(code("closed"));
  });

  test("ends listeners of a run of another process", async () => {
    const server = await startModelServer(() => hang);
    const project = createModelProject(server);
    const run = await (await project.open()).spawn({ agent: "main", task: "go" });
    await server.hung(1);
    const other = await project.open();
    const events = (await other.find(run.id)).events();
    const following = (async () => {
      for await (const _ of events);
    })();
    const ended = expect(following).rejects.toEqual(code("closed"));
    await new Promise((resolve) => setImmediate(resolve));
    await other.close();
    await ended;
  });
});

describe("invalid input", () => {
  test.each([
    [{ cwd: "/no/such/folder" }, "invalid-argument", "got /no/such/folder, which does not exist"],
    [{ cwd: import.meta.filename }, "invalid-argument", "which is not a folder"],
    [{ mode: "yolo" as never }, "config-invalid", "one of plan, read-only, deny, ask"],
    [{ sandbox: "maybe" as never }, "config-invalid", "one of auto, off, required"],
    [{ limits: { depht: 1 } as never }, "config-invalid", "Did you mean `depth`?"],
    [
      { agents: [{ name: "a", description: "x" } as never] },
      "definition-invalid",
      "`systemPrompt`",
    ],
  ])("is refused at once: %j", async (options, expected, message) => {
    const error: unknown = await createModelProject()
      .open(options)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CadreError);
    expect(error).toEqual(code(expected));
    expect((error as Error).message).toContain(message);
  });

  test.each([
    [{ agent: "main" }, "task"],
    [{ agent: "main", task: "  " }, "expected a task, got none"],
    [{ agent: "main", task: "x", timeoutSeconds: Number.NaN }, "timeoutSeconds"],
    [{ agent: "main", task: "x", budget: { tokens: -1 } }, "budget.tokens"],
    [{ agent: "main", task: "x", definition: {} }, "definition"],
  ])("creates no run: %j", async (request, message) => {
    const cadre = await createModelProject().open();
    const error: unknown = await cadre.spawn(request as never).catch((thrown: unknown) => thrown);
    expect(error).toEqual(code("invalid-argument"));
    expect((error as Error).message).toContain(message);
    expect(await cadre.runs()).toEqual([]);
  });

  test("in a configuration file prevents runs, and the error has its place", async () => {
    const project = createModelProject();
    writeFileSync(
      join(project.home, ".cadre", "config.yaml"),
      "sandbox: off\npermissions:\n  mode: yolo\n",
    );
    const cadre = await project.open({ mode: "auto" });
    for (const begin of [() => cadre.spawn({ agent: "main", task: "go" }), () => cadre.tools()]) {
      const error: unknown = await begin().catch((thrown: unknown) => thrown);
      expect(error).toEqual(code("config-invalid"));
      expect((error as Error).message).toContain(
        `${join(project.home, ".cadre", "config.yaml")}:3:`,
      );
    }
    expect(await cadre.runs()).toEqual([]);
  });
});
