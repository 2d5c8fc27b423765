import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SpawnOptions } from "../../src/index.ts";
import { agentCall, hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { scriptedModel } from "../../src/testing.ts";
import { type Delta, startStreamingServer } from "../fixtures/streaming-server.ts";
import { inThisProcess } from "../fixtures/postgres/in-this-process.ts";

const request = { agent: "main", task: "go" };
const write = { tool: "Write", input: { file_path: "a.txt", content: "x" } };

describe("the permissions of a request", () => {
  test.each<[string, Partial<SpawnOptions>, string]>([
    ["mode", { mode: "plan" }, "mode plan"],
    ["rules", { permissions: { deny: ["Write"] } }, "Write"],
    ["rules with exceptions", { mode: "plan", permissions: { allow: ["Write(b.txt)"] } }, "plan"],
  ])("restrict the run and its descendants: %s", async (_, settings, reason) => {
    const server = await startModelServer(({ task, turn, last }) => {
      if (task === "go" && turn === 0) return [write, agentCall("main", "below")];
      if (turn === 0) return [write];
      return last.join("\n");
    });
    const cadre = await createModelProject(server).open({ mode: "auto" });
    const result = await cadre.run({ ...request, ...settings });
    const refusals = result.text.split("Permission denied for ").slice(1);
    expect(refusals).toHaveLength(2);
    for (const refusal of refusals) expect(refusal).toContain(reason);
  });

  test("give it nothing that the configuration does not allow", async () => {
    const server = await startModelServer(({ turn, last }) => (turn === 0 ? [write] : last.join()));
    const cadre = await createModelProject(server).open({ mode: "plan" });
    const settings = { mode: "auto", permissions: { allow: ["Write"] } } as const;
    const { text } = await cadre.run({ ...request, ...settings });
    expect(text).toContain("Permission denied");
  });
});

describe("the tools of a request", () => {
  test("are those of the agent that it names", async () => {
    const server = await startModelServer(({ tools }) => `tools: ${tools.toSorted().join(" ")}`);
    const project = createModelProject(server);
    project.writeAgent("reader", { tools: ["Read", "Grep", "LS"] });
    const cadre = await project.open();
    const tools = ["Gre*", "LS", "Bash"];
    expect((await cadre.run({ agent: "reader", task: "x", tools })).text).toBe("tools: Grep LS");
    expect((await cadre.run({ ...request, tools: ["Edit"] })).text).toBe("tools: Edit Read");
    expect((await cadre.run({ ...request, tools: [] })).text).toBe("tools: ");
    const { warnings } = await cadre.run({ ...request, tools: ["Reed"] });
    expect(warnings).toEqual(["The request names tools that do not exist: Reed."]);
  });
});

describe("`cwd`", () => {
  test("is a folder in that of Cadre", async () => {
    const server = await startModelServer(({ turn, last }) =>
      turn === 0 ? [{ tool: "LS", input: { path: "../other" } }, write] : last.join("\n"),
    );
    const project = createModelProject(server);
    mkdirSync(join(project.folder, "inside"));
    project.write("other/secret.txt", "x");
    const cadre = await project.open();
    const run = await cadre.spawn({ ...request, cwd: "inside" });
    const { text } = await run.result();
    expect(text).not.toContain("secret.txt");
    expect((await run.journal())[0]).toMatchObject({
      spec: { workspace: join(project.folder, "inside") },
    });
    expect(text).toContain("a.txt");
  });

  test.each(["..", "/", "missing", "file.txt"])("that is %s is refused", async (cwd) => {
    const project = createModelProject();
    project.write("file.txt", "x");
    const cadre = await project.open();
    await expect(cadre.spawn({ ...request, cwd })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("Expected `cwd` to be a folder in") as string,
    });
  });
});

describe("what a request says about requests to the model", () => {
  inThisProcess("Options in a journal need the trust of the worker.")(
    "provider options are sent with each of them",
    async () => {
      const server = await startStreamingServer(({ turn }): Delta[] =>
        turn === 0 ? [{ index: 0, tool: "LS", input: "{}" }] : [{ text: "done" }],
      );
      const cadre = await createModelProject(server).open();
      await cadre.run({ ...request, providerOptions: { mock: { user: "ada" } } });
      expect(server.turns.map(({ body }) => body["user"])).toEqual(["ada", "ada"]);
    },
  );

  test.each<[SpawnOptions["toolChoice"], unknown[]]>([
    ["auto", [undefined, undefined]],
    ["none", ["none", "none"]],
    ["required", ["required", undefined]],
    [{ tool: "LS" }, [{ type: "function", function: { name: "LS" } }, undefined]],
  ])("the tool choice %j", async (toolChoice = "auto", expected) => {
    const server = await startStreamingServer(({ turn }): Delta[] =>
      turn === 0 ? [{ index: 0, tool: "LS", input: "{}" }] : [{ text: "done" }],
    );
    const cadre = await createModelProject(server).open();
    await cadre.run({ ...request, toolChoice });
    const sent = server.turns.map(({ body }) => body["tool_choice"]);
    expect(sent.map((choice) => (choice === "auto" ? undefined : choice))).toEqual(expected);
  });

  test("a tool that has to be called and is not there ends the run", async () => {
    const cadre = await createModelProject(await startModelServer(() => "done")).open();
    for (const settings of [
      { toolChoice: { tool: "Deploy" } },
      { toolChoice: "required", tools: [] },
    ] as const) {
      expect(await cadre.run({ ...request, ...settings })).toMatchObject({
        status: "failed",
        failure: { code: "tool-unavailable" },
      });
    }
  });
});

describe("a run ends", () => {
  const script = ({ turn }: { turn: number }): Delta[] => [
    { text: `turn ${turn + 1}` },
    { index: 0, tool: turn === 1 ? "Grep" : "LS", input: turn === 1 ? '{"pattern":"x"}' : "{}" },
  ];

  test.each<[SpawnOptions["stopWhen"], number]>([
    [{ turns: 3 }, 3],
    [{ toolCall: "Grep" }, 2],
    [[{ turns: 5 }, { toolCall: "Grep" }], 2],
  ])("as succeeded when a condition is met: %j", async (stopWhen = [], turns) => {
    const cadre = await createModelProject(await startStreamingServer(script)).open();
    const run = await cadre.spawn({ ...request, stopWhen });
    expect(await run.result()).toMatchObject({ status: "succeeded", turns, text: `turn ${turns}` });
    const calls = (await run.journal()).filter(({ type }) => type === "step-started");
    expect(calls).toHaveLength(turns);
  });

  test("as failed when its turns are used up", async () => {
    const cadre = await createModelProject(await startStreamingServer(script)).open();
    expect(await cadre.run({ ...request, maxTurns: 2 })).toMatchObject({
      status: "failed",
      turns: 2,
      failure: { code: "limit-exceeded" },
    });
  });

  test("with what its background runs did, when a condition is met", async () => {
    const server = await startModelServer(({ task, turn }) =>
      task !== "go"
        ? "from below"
        : turn === 0
          ? [{ tool: "sessions_spawn", input: { task: "below" } }]
          : "never",
    );
    const cadre = await createModelProject(server).open();
    const run = await cadre.spawn({ ...request, stopWhen: { toolCall: "sessions_spawn" } });
    expect(await run.result()).toMatchObject({ status: "succeeded", turns: 2, runs: 2 });
    expect((await cadre.tree(run.id)).map(({ status }) => status)).toEqual([
      "succeeded",
      "succeeded",
    ]);
  });
});

test.each<[Partial<Record<keyof SpawnOptions, unknown>>, string]>([
  [{ mode: "yolo" }, "mode"],
  [{ permissions: { allow: ["Read("] } }, "permissions.allow.0"],
  [{ permissions: { allowed: [] } }, "Did you mean `allow`?"],
  [{ permissions: { deny: ["Reed"] } }, "Did you mean `Read`?"],
  [{ tools: "Read" }, "tools"],
  [{ maxTurns: 0 }, "maxTurns"],
  [{ providerOptions: { mock: "x" } }, "providerOptions.mock"],
  [{ toolChoice: "sometimes" }, "expected auto, none, required or { tool: NAME }"],
  [{ stopWhen: { toolcall: "Read" } }, "stopWhen"],
  [{ stopWhen: [] }, "stopWhen"],
  [{ stopWhen: { turns: 2 }, outputSchema: { type: "object" } }, "leave out `stopWhen`"],
])("a wrong setting is refused: %j", async (settings, message) => {
  const cadre = await createModelProject().open();
  const given = { ...request, ...settings } as SpawnOptions;
  await expect(cadre.spawn(given)).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining(message) as string,
  });
});

test("provider options that are too long are refused", async () => {
  const cadre = await createModelProject().open();
  const providerOptions = { mock: { big: "x".repeat(70_000) } };
  const refused = cadre.spawn({ ...request, providerOptions });
  await expect(refused).rejects.toThrow("at most 65536 characters");
});

test("a setting without effect on an agent is refused", async () => {
  const agents = [{ name: "clock", description: "x", run: () => "now" }];
  const cadre = await createModelProject().open({ agents });
  const refused = cadre.spawn({ agent: "clock", task: "x", tools: [], maxTurns: 2 });
  await expect(refused).rejects.toThrow(
    "is a program, for which tools, maxTurns in a request have no",
  );
  expect(await cadre.run({ agent: "clock", task: "x", mode: "plan" })).toMatchObject({
    text: "now",
  });
});

inThisProcess("A worker refuses the run, and `cadre workers` says why.")(
  "provider options of a journal are sent in a trusted project only",
  async () => {
    let isFirst = true;
    const server = await startModelServer(() => (isFirst ? hang : "done"));
    const project = createModelProject(server);
    const cadre = await project.open();
    const run = await cadre.spawn({ ...request, providerOptions: { mock: { user: "ada" } } });
    await server.hung(1);
    await cadre.close({ leaveRuns: true });
    isFirst = false;
    const stranger = await project.open();
    await expect(stranger.resume(run.id)).rejects.toMatchObject({
      code: "not-trusted",
      message: expect.stringContaining("options for a provider (mock)") as string,
    });
    const [resumed] = await (await project.open({ trust: true })).resume(run.id);
    expect(await resumed?.result()).toMatchObject({ status: "succeeded" });
  },
);

test("a graph takes settings of its runs, but no options for a provider", async () => {
  const server = await startModelServer(({ tools }) => `tools: ${tools.join(" ")}`);
  const project = createModelProject(server);
  const cadre = await project.open();
  project.write("ok.yaml", "runs: [{ label: a, task: x, tools: [LS], mode: plan, max_turns: 3 }]");
  const run = await cadre.spawnGraph("ok.yaml");
  expect((await run.result()).text).toContain("tools: LS");
  project.write(
    "bad.yaml",
    "runs: [{ label: a, task: x, providerOptions: { mock: { user: b } } }]",
  );
  await expect(cadre.spawnGraph("bad.yaml")).rejects.toMatchObject({
    code: "definition-invalid",
    message: expect.stringContaining("Only a program can set options for a provider") as string,
  });
});

test("a request may choose the id of its run, once", async () => {
  const cadre = await createModelProject().open({ model: scriptedModel(() => ({ text: "done" })) });
  const id = "mwtx0000-once1";
  expect(await cadre.run({ agent: "main", task: "go", id })).toMatchObject({ runId: id });
  const again = cadre.run({ agent: "main", task: "go", id });
  await expect(again).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining(id),
  });
  const wrong = cadre.run({ agent: "main", task: "go", id: "../x" });
  await expect(wrong).rejects.toThrow(/Expected a run id of two parts, .* got "\.\.\/x"/);
  expect(await cadre.runs()).toHaveLength(1);
});
