import { describe, expect, test } from "vitest";
import { CadreError } from "../../../src/index.ts";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

const reason = new Error("no longer wanted");

describe("a signal", () => {
  test("given to `spawn` cancels the run and its descendants", async () => {
    const server = await startModelServer(({ task }) =>
      task === "go" ? [{ tool: "Agent", input: { type: "main", prompt: "below" } }] : hang,
    );
    const cadre = await createModelProject(server).open();
    const controller = new AbortController();
    const run = await cadre.spawn({ agent: "main", task: "go", signal: controller.signal });
    await server.hung(1);
    controller.abort(reason);
    expect(await run.result()).toMatchObject({
      status: "cancelled",
      failure: {
        code: "cancelled",
        message: expect.stringContaining("no longer wanted") as string,
      },
    });
    expect((await cadre.tree(run.id)).map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
    ]);
  });

  test("that has aborted creates no run, and one that aborts later changes nothing of the result", async () => {
    const server = await startModelServer(() => "done");
    const cadre = await createModelProject(server).open();
    const request = { agent: "main", task: "go" };
    const gone = AbortSignal.abort(reason);
    await expect(cadre.spawn({ ...request, signal: gone })).rejects.toBe(reason);
    await expect(cadre.run({ ...request, signal: gone })).rejects.toBe(reason);
    expect(await cadre.runs()).toEqual([]);
    const controller = new AbortController();
    const result = await cadre.run({ ...request, signal: controller.signal });
    controller.abort(reason);
    expect(result).toMatchObject({ status: "succeeded", text: "done" });
    expect(await cadre.runs()).toMatchObject([{ status: "succeeded" }]);
    const wrong = { ...request, signal: {} as AbortSignal };
    await expect(cadre.spawn(wrong)).rejects.toMatchObject({ code: "invalid-argument" });
  });

  test("given to a wait or a stream ends that with its reason, and not the run", async () => {
    const server = await startModelServer(({ task }) => (task === "go" ? hang : "done"));
    const cadre = await createModelProject(server).open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await server.hung(1);
    const controller = new AbortController();
    const { signal } = controller;
    const reading = async (items: AsyncIterable<unknown>): Promise<void> => {
      for await (const _ of items);
    };
    const waits = [
      run.result({ signal }),
      run.result({ signal, timeoutMs: 1_000_000 }),
      reading(run.events({ signal })),
      reading(run.stream({ signal })),
      reading(run.stream({ signal, descendants: true })),
      reading(run.toUIMessageStream({ signal })),
    ];
    const ends = waits.map(async (wait) => await wait.catch((error: unknown) => error));
    // All of them are waiting.
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await Promise.all(ends)).toEqual(waits.map(() => reason));
    await expect(run.result({ signal })).rejects.toBe(reason);
    await expect(reading(run.stream({ signal }))).rejects.toBe(reason);
    expect(await run.state()).toMatchObject({ status: "running" });
  });
});

describe("a limit of the wait for a result", () => {
  test("rejects, and the run continues", async () => {
    const server = await startModelServer(() => hang);
    const cadre = await createModelProject(server).open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const error: unknown = await run.result({ timeoutMs: 20 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CadreError);
    expect(error).toMatchObject({ code: "timed-out", details: { runId: run.id } });
    expect((await run.state()).result).toBeNull();
    await run.cancel();
    expect(await run.result({ timeoutMs: 0 }).catch(({ code }: CadreError) => code)).toBeDefined();
    expect(await run.result({ timeoutMs: 60_000 })).toMatchObject({ status: "cancelled" });
  });

  test.each([-1, Number.NaN, 2 ** 31, Infinity])("of %d is refused", async (timeoutMs) => {
    const server = await startModelServer(() => "done");
    const cadre = await createModelProject(server).open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await expect(run.result({ timeoutMs })).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await run.result()).toMatchObject({ status: "succeeded" });
  });
});

inThisProcess("A closed Cadre ends no run of a worker.")(
  "`await using` closes Cadre at the end of the block",
  async () => {
    const server = await startModelServer(() => hang);
    const project = createModelProject(server);
    const run = await (async () => {
      await using cadre = await project.open();
      const started = await cadre.spawn({ agent: "main", task: "go" });
      await server.hung(1);
      return started;
    })();
    await expect(run.state()).rejects.toMatchObject({ code: "closed" });
    const [ended] = await (await project.open()).runs();
    expect(ended).toMatchObject({ id: run.id, status: "cancelled" });
  },
);

describe("an agent of its own name", () => {
  test("starts runs, and gives its definition", async () => {
    const server = await startModelServer(({ agent, task }) => `${agent}: ${task}`);
    const project = createModelProject(server);
    project.writeAgent("poet");
    const poet = (await project.open()).agent("poet");
    expect(poet.name).toBe("poet");
    expect(await poet.definition()).toMatchObject({ name: "poet", description: "plays poet" });
    expect(await poet.run("a verse")).toMatchObject({ text: "poet: a verse" });
    const run = await poet.spawn({ task: "two", label: "second" });
    expect(await run.result()).toMatchObject({ text: "poet: two" });
    expect(await run.state()).toMatchObject({ label: "second" });
  });

  test("is looked up when it is used", async () => {
    const cadre = await createModelProject().open();
    const nobody = cadre.agent("nobody");
    await expect(nobody.definition()).rejects.toMatchObject({ code: "agent-not-found" });
    await expect(nobody.run("x")).rejects.toMatchObject({ code: "agent-not-found" });
  });
});

describe("an agent that a request brings", () => {
  const agent = { name: "poet", description: "Writes", systemPrompt: "You are poet.", tools: [] };

  test("runs, and continues after a kill without being given again", async () => {
    let isFirst = true;
    const server = await startModelServer(({ agent: name, tools }) => {
      if (isFirst) return hang;
      return `${name} with ${tools.length} tools`;
    });
    const project = createModelProject(server);
    const cadre = await project.open();
    const run = await cadre.spawn({ agent, task: "a verse" });
    await server.hung(1);
    await cadre.close({ leaveRuns: true });
    isFirst = false;
    const other = await project.open();
    const [resumed] = await other.resume(run.id);
    expect(await resumed?.result()).toMatchObject({ text: "poet with 0 tools" });
    expect((await other.agents()).all.map(({ name }) => name)).not.toContain("poet");
  });

  test("is refused with everything that is wrong, and so is a program", async () => {
    const cadre = await createModelProject().open();
    const wrong = { ...agent, toolz: [], maxTurns: 0 };
    await expect(cadre.spawn({ agent: wrong, task: "x" })).rejects.toMatchObject({
      code: "definition-invalid",
      message: expect.stringMatching(
        /given to spawn is not valid:[^]*maxTurns[^]*`tools`/,
      ) as string,
    });
    const program = { name: "clock", description: "x", run: () => "now" };
    const refused = cadre.spawn({ agent: program as never, task: "x" });
    await expect(refused).rejects.toThrow("createCadre({ agents })");
    expect(await cadre.runs()).toEqual([]);
  });
});

test.each([undefined, null, "main", 5, []])("a request that is %j is refused", async (request) => {
  const cadre = await createModelProject().open();
  const refused = cadre.spawn(request as never);
  await expect(refused).rejects.toMatchObject({ code: "invalid-argument" });
});
