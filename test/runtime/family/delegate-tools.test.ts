import { join } from "node:path";
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Cadre } from "../../../src/index.ts";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

const code = (name: string): unknown => expect.objectContaining({ code: name });

describe("the delegate tools for a caller outside of all runs", () => {
  test("delegate a free-form task, to an agent, or in the background", async () => {
    const server = await startModelServer(({ agent, task }) => `${agent} did ${task}`);
    const project = createModelProject(server);
    project.writeAgent("worker");
    const {
      subagent,
      sessions_wait: wait,
      sessions_list: list,
    } = await (await project.open()).tools();
    const adHoc = await subagent.call({ instructions: "one" });
    expect(adHoc.text).toContain("did");
    expect(subagent.resultSchema.parse(adHoc.data)).toMatchObject({ status: "succeeded" });
    expect(await subagent.execute({ instructions: "two", agent: "worker", summary: false })).toBe(
      "worker did two",
    );
    const begun = await subagent.call({ instructions: "three", agent: "worker", background: true });
    expect(subagent.resultSchema.parse(begun.data)).toMatchObject({ status: "accepted" });
    const waited = await wait.call({});
    expect(waited.text).toContain("worker did three");
    expect(wait.resultSchema.parse(waited.data)).toMatchObject({ status: "done", waiting: [] });
    expect((await wait.call({})).text).toBe("You have no runs in the background.");
    const listed = await list.call({});
    expect(list.resultSchema.parse(listed.data)["runs"]).toHaveLength(3);
    await expect(subagent.call({ parameters: {} })).rejects.toEqual(code("invalid-argument"));
    await expect(
      subagent.call({ instructions: "x", settings: { provider: "mock" } }),
    ).rejects.toThrow("Expected settings.model beside settings.provider (mock)");
  });

  test("start plans in the background, whose parts depend on each other by label", async () => {
    const server = await startModelServer(({ task }) => `<${task}>`);
    const { sessions_spawn: spawn, sessions_wait: wait } = await (
      await createModelProject(server).open()
    ).tools();
    const first = await spawn.call({ task: "find", label: "research" });
    expect(spawn.resultSchema.parse(first.data)).toMatchObject({ status: "accepted" });
    const second = await spawn.call({
      task: "write",
      label: "text",
      dependsOn: "research",
      includeDependencyResult: true,
    });
    expect(second.isError).toBe(false);
    const { text } = await wait.call({ runIds: ["research", "text"] });
    expect(text).toContain("<find>");
    expect(text).toMatch(/text \(run \w+\) succeeded:\n<\[Previous step result\]/);
    const missing = await spawn.call({ task: "x", dependsOn: "nothing" });
    expect(missing).toMatchObject({ isError: true, data: { status: "error" } });
    expect(missing.text).toContain("dependency-not-found");
  });

  test("steer and cancel runs by label, and list the existing labels if there is no match", async () => {
    const server = await startModelServer(() => hang);
    const tools = await (await createModelProject(server).open()).tools();
    await tools.sessions_spawn.call({ task: "go", label: "long" });
    await server.hung(1);
    const sent = await tools.sessions_send.call({ label: "long", message: "faster" });
    expect(tools.sessions_send.resultSchema.parse(sent.data)).toMatchObject({
      messageId: expect.any(String),
    });
    const late = await tools.sessions_wait.call({ timeoutSeconds: 0.001 });
    expect(late.data).toMatchObject({ status: "timed-out" });
    const cancelled = await tools.sessions_cancel.call({ label: "long", reason: "enough" });
    expect(tools.sessions_cancel.resultSchema.parse(cancelled.data)).toMatchObject({
      cancelled: true,
    });
    expect((await tools.sessions_wait.call({})).text).toContain("cancelled: enough");
    await expect(tools.sessions_send.call({ label: "other", message: "x" })).rejects.toThrow(
      '"other" is not a run you started. Yours: long',
    );
  });

  test("end a run when its call is aborted, and only the wait when a wait is aborted", async () => {
    const server = await startModelServer(() => hang);
    const tools = await (await createModelProject(server).open()).tools();
    const { data } = await tools.sessions_spawn.call({ task: "go" });
    await server.hung(1);
    const waiting = new AbortController();
    const waited = tools.sessions_wait.call({}, { signal: waiting.signal, onRun: stopWaiting });
    function stopWaiting(): void {
      waiting.abort(new Error("no time"));
    }
    await expect(waited).rejects.toThrow("no time");
    const listed = await tools.sessions_list.call({});
    expect(listed.data?.["runs"]).toMatchObject([{ status: "running" }]);
    expect(data).toMatchObject({ status: "accepted" });
    const stopping = new AbortController();
    const foreground = tools.agent.call(
      { type: "main", prompt: "go" },
      { signal: stopping.signal, onRun: () => stopping.abort() },
    );
    expect(await foreground).toMatchObject({ isError: true, data: { status: "cancelled" } });
  });
});

describe("a Cadre that is closed and leaves its runs", () => {
  inThisProcess("Runs of workers are left to workers, and to no other Cadre.")(
    "ends nothing: another one continues them, with their children, by their ids",
    async () => {
      let isLater = false;
      const server = await startModelServer(({ agent, turn }) => {
        if (agent === "worker") return isLater ? "worker is done" : hang;
        return turn === 0
          ? [{ tool: "Agent", input: { type: "worker", prompt: "go" } }]
          : "main is done";
      });
      const project = createModelProject(server);
      project.writeAgent("worker");
      const first = await project.open();
      let runId = "";
      await (
        await first.tools()
      ).sessions_spawn.call({ task: "go" }, { onRun: (id) => (runId = id) });
      await server.hung(1);
      await first.close({ leaveRuns: true });
      await server.released();

      isLater = true;
      const second = await project.open();
      expect(await second.resumable()).toEqual([runId]);
      const statuses = (await second.tree(runId)).map(({ status }) => status);
      expect(statuses).toEqual(["running", "running"]);
      const waited = await (await second.tools()).sessions_wait.call({ runIds: runId });
      expect(waited.text).toContain("main is done");
      expect((await second.tree(runId)).map(({ status }) => status)).toEqual([
        "succeeded",
        "succeeded",
      ]);
    },
  );

  test("creates no files in a folder without runs", async () => {
    const project = createModelProject();
    const cadre = await project.open();
    await cadre.close({ leaveRuns: true });
    await expect(cadre.spawn({ agent: "main", task: "x" })).rejects.toEqual(code("closed"));
  });
});

describe("watching the agents", () => {
  test("reports new, changed and removed files, also in folders that are created later", async () => {
    const server = await startModelServer(({ agent }) => `I am ${agent}`);
    const project = createModelProject(server);
    const cadre = await project.open();
    const changes = createChanges(cadre);
    const stop = await cadre.watchAgents(changes.note);
    const names = async (): Promise<string[]> =>
      (await cadre.agents()).agents.map(({ name }) => name);
    expect(await names()).toEqual(["main", "auto-context", "code-map"]);
    project.writeAgent("worker");
    await changes.until(async () => (await names()).includes("worker"));
    const { agent } = await cadre.tools();
    expect(agent.description).toContain("- worker: plays worker");
    expect(await agent.execute({ type: "worker", prompt: "who?" })).toBe("I am worker");
    project.writeAgent("worker", { description: "plays another" });
    await changes.until(async () =>
      (await cadre.tools()).agent.description.includes("plays another"),
    );
    rmSync(join(project.folder, ".cadre"), { recursive: true });
    await changes.until(async () => !(await names()).includes("worker"));
    project.write(
      ".claude/agents/deep/er/reader.md",
      "---\nname: reader\ndescription: r\n---\nR\n",
    );
    await changes.until(async () => (await names()).includes("reader"));
    stop();
  });
});

/** Waits for a change after which the condition holds. */
function createChanges(cadre: Cadre): {
  note: () => void;
  until: (holds: () => Promise<boolean>) => Promise<void>;
} {
  let next = Promise.withResolvers<void>();
  return {
    note() {
      next.resolve();
      next = Promise.withResolvers();
    },
    async until(holds) {
      await cadre.agents();
      for (let change = next.promise; !(await holds()); change = next.promise) await change;
    },
  };
}

describe("a fallback model", () => {
  inThisProcess("A process has one worker, with the models of one of these two.")(
    "is used if no other is configured, and not instead of a configured one",
    async () => {
      const server = await startModelServer(() => "by the configured one");
      const project = createModelProject(server);
      const { createScriptedModel } = await import("../../../src/model/script/scripted-model.ts");
      const other = createScriptedModel(() => ({ text: "by the fallback" }), { id: "other" });
      const fallbackModel = (): typeof other => other;
      const environment = { PATH: process.env["PATH"], OLLAMA_HOST: "127.0.0.1:1" };
      const [configured, without] = [
        await project.open({ fallbackModel }),
        // Without `model`: the option of the project is `mock:mock`.
        await createModelProject().open({ fallbackModel, environment, model: undefined as never }),
      ];
      const ask = async (cadre: Cadre): Promise<string> =>
        (await (await cadre.spawn({ agent: "main", task: "x" })).result()).text;
      expect(await ask(configured)).toBe("by the configured one");
      expect(await ask(without)).toBe("by the fallback");
    },
  );
});
