import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CadreOptions, RunResult } from "../../../src/index.ts";
import { type ModelServer, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";
import { inThisProcess } from "../../fixtures/postgres/in-this-process.ts";

const here = inThisProcess("There, the reason is the answer to a question.");

interface AipProject {
  project: ModelProject;
  server: ModelServer;
  run(request?: object, options?: CadreOptions): Promise<RunResult>;
}

const lua = (title: string, code: string): string => `# ${title}\n\`\`\`lua\n${code}\n\`\`\`\n`;

/** Creates a trusted project with the agent `agent.aip`. */
async function createAip(
  text: string,
  script: Parameters<typeof startModelServer>[0] = () => "done",
): Promise<AipProject> {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.write("agent.aip", text);
  return {
    project,
    server,
    async run(request = {}, options = {}) {
      const cadre = await project.open({ agentFiles: ["agent.aip"], trust: true, ...options });
      const run = await cadre.spawn({ agent: "agent.aip", ...request });
      return await run.result();
    },
  };
}

describe("an .aip agent", () => {
  test("uses the words of its task as input: scripts, model, files and commands are steps of its run", async () => {
    const text = [
      lua(
        "Data",
        'local r = aip.cmd.exec("sh", {"-c", "echo out; echo err >&2; exit 3"})\nreturn r',
      ),
      "# System\nBe brief.\n# Instruction\n{{input}} {{data.stdout}} {{data.stderr}} {{data.exit}}\n",
      lua(
        "Output",
        'aip.file.save("out/answer.txt", ai_response.content)\nreturn ai_response.content',
      ),
    ];
    const { run, project, server } = await createAip(text.join(""), () => "Hi.");
    const result = await run({ task: "Say hi" });
    expect(result).toMatchObject({
      status: "succeeded",
      text: "Hi.",
      output: { outputs: ["Hi."], after_all: null },
      turns: 1,
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(server.turns).toMatchObject([{ system: "Be brief.\n", model: "mock" }]);
    expect(server.turns[0]?.task).toBe("Say hi out\n err\n 3\n");
    expect(readFileSync(join(project.folder, "out/answer.txt"), "utf8")).toBe("Hi.");
    const cadre = await project.open();
    const keys: string[] = [];
    for await (const event of (await cadre.find(result.runId)).events()) {
      if (event.type === "step-finished") keys.push(`${event.kind} ${event.key}`);
    }
    expect(keys).toEqual([
      "note aip/seed",
      "tool aip/data/0/1-cmd.exec",
      "model aip/ask/0",
      "tool aip/output/0/1-file.write",
    ]);
  });

  test("writes, moves and removes control files only with approval", async () => {
    const code = `
      local function try(f, ...) return select(2, pcall(f, ...)) end
      return {
        try(aip.file.save, ".mcp.json", "{}"), try(aip.file.save, "sub/.vscode/tasks.json", "{}"),
        try(aip.file.move, ".cadre/rules.yaml", "rules.yaml"), try(aip.file.delete, ".cadre/rules.yaml"),
        try(aip.file.delete, "sub"), aip.file.delete("plain"),
      }`;
    const { run, project } = await createAip(lua("Output", code));
    project.write(".cadre/rules.yaml", "kept");
    project.write("sub/in/.vscode/tasks.json", "kept");
    project.write("plain/in/b.txt", "");
    const { output } = await run({}, { mode: "auto" });
    const { outputs } = output as { outputs: [(string | boolean)[]] };
    expect(outputs[0]).toEqual([
      ...Array.from({ length: 5 }, () => expect.stringContaining("Permission denied")),
      true,
    ]);
    expect(existsSync(join(project.folder, "sub/in/.vscode/tasks.json"))).toBe(true);
    expect(existsSync(join(project.folder, "plain"))).toBe(false);
    expect(readFileSync(join(project.folder, ".cadre/rules.yaml"), "utf8")).toBe("kept");
    expect(existsSync(join(project.folder, ".mcp.json"))).toBe(false);
  });

  test("runs other agents of every kind as ordinary delegations, with one output per input", async () => {
    const code = `
      local far = aip.agent.run("ns@pack/lib/double", { inputs = {1, 2} })
      local near = aip.agent.run("lib/near", { input = "x" })
      local judge = aip.agent.run("judge", { inputs = {"a", { b = 1 }} })
      local program = aip.agent.run("program", { input = { n = 4 } })
      local ok, problem = pcall(aip.agent.run, "broken", { input = "x" })
      return { far.outputs, near.outputs, judge.outputs, program.outputs, ok, tostring(problem) }`;
    const { run, project } = await createAip(
      lua("Output", code),
      ({ task }) => `judged ${task.replaceAll(/\s/g, "")}`,
    );
    project.write(".aipack/custom/ns/pack/lib/double.aip", lua("Output", "return input * 2"));
    project.write("lib/near.aip", lua("Output", 'return "near " .. input'));
    project.write(".cadre/agents/broken.aip", lua("Output", 'error("no luck")'));
    project.writeAgent("judge");
    const program = {
      name: "program",
      description: "d",
      run: (input: object) => ({ ...input, by: 1 }),
    };
    const result = await run({ task: "go" }, { agents: [program] });
    expect(result.output).toMatchObject({
      outputs: [
        [
          [2, 4],
          ["near x"],
          ["judged a", 'judged {"b":1}'],
          [expect.objectContaining({ n: 4, by: 1 })],
          false,
          expect.stringContaining("broken.aip:3 (# Output): no luck"),
        ],
      ],
    });
    const family = await (await project.open()).tree(result.runId);
    expect(family.map(({ agent }) => agent)).toEqual([
      "agent.aip",
      "ns@pack/lib/double",
      "lib/near.aip",
      "judge",
      "judge",
      "program",
      "broken",
    ]);
  });

  test("uses the model of its file, or the requested one, and no other if that is unusable", async () => {
    const text = '# Options\n```toml\nmodel = "mock:own"\n```\n# Instruction\nHi\n';
    const { run, server, project } = await createAip(text);
    await run();
    await run({ model: "mock:asked" });
    project.write("agent.aip", text.replace("mock:own", "gpt-5-nano"));
    const { failure } = await run();
    expect(server.turns.map(({ model }) => model)).toEqual(["own", "asked"]);
    expect(failure?.message).toMatch(/The model gpt-5-nano of agent agent.aip cannot be used/);
  });

  test("cannot choose a model that reads or writes a file, which no permission covers", async () => {
    const call = `local ok, problem = pcall(aip.agent.run, "judge", { input = "x", options = { model = "record:other.jsonl=mock" } })
      return tostring(problem)`;
    const { run, project, server } = await createAip(lua("Output", call));
    project.writeAgent("judge");
    expect((await run()).output).toMatchObject({
      outputs: [expect.stringContaining("only users may choose")],
    });
    const choice =
      'return aip.flow.data_response({ options = { model = "record:taken.jsonl=mock" } })';
    project.write("agent.aip", `${lua("Data", choice)}# Instruction\nAsk.\n`);
    expect((await run()).failure?.message).toContain("record:taken.jsonl=mock");
    expect(server.turns).toEqual([]);
    expect(existsSync(join(project.folder, "taken.jsonl"))).toBe(false);
    expect(existsSync(join(project.folder, "other.jsonl"))).toBe(false);
  });

  test("gets an error when a command cannot be started, and its exit code when it fails", async () => {
    const code = `
      local function try(...) local ok, said = pcall(aip.cmd.exec, ...) return ok and said.exit or tostring(said) end
      return { try("no-such-command"), try("./agent.aip"), try("pwd", nil, { cwd = "gone" }), try("sh", { "-c", "exit 127" }) }`;
    const { run } = await createAip(lua("Output", code));
    expect((await run({}, { mode: "auto" })).output).toMatchObject({
      outputs: [
        [
          "Fail to execute: no-such-command: not found",
          "Fail to execute: ./agent.aip: Permission denied",
          expect.stringMatching(/^Fail to execute: .*gone is not a folder$/),
          127,
        ],
      ],
    });
  });

  here("stays within its permissions and its budget, and gets the reason", async () => {
    const code = `
      local saved, why = pcall(aip.file.save, "a.txt", "x")
      local ran, reason = pcall(aip.cmd.exec, "echo", {"x"})
      return { saved, tostring(why), ran, tostring(reason) }`;
    const { run } = await createAip(lua("Output", code));
    expect((await run({}, { mode: "accept-edits" })).output).toMatchObject({
      outputs: [[true, expect.anything(), false, expect.stringContaining("no user to ask")]],
    });
    expect((await run({}, { mode: "plan" })).output).toMatchObject({
      outputs: [[false, expect.stringContaining("mode plan"), false, expect.anything()]],
    });
    expect((await run({ budget: { toolCalls: 1 } })).output).toMatchObject({
      outputs: [[true, expect.anything(), false, expect.stringContaining("budget of 1 toolCalls")]],
    });
    const saving = await createAip(lua("Output", 'aip.file.save("a.txt", "x")'));
    expect((await saving.run({}, { mode: "plan" })).failure).toMatchObject({
      code: "permission-denied",
      message: expect.stringMatching(/^agent\.aip:3 \(# Output\): Permission denied for aip\.file/),
    });
    const asking = await createAip("# Instruction\nHi\n");
    const { failure } = await asking.run({ budget: { tokens: 10 } });
    expect(failure).toMatchObject({ code: "budget-exceeded" });
    expect(asking.server.turns).toEqual([]);
  });

  test("reaches public addresses only", async () => {
    const server = await startModelServer(() => "done");
    const code = `return aip.web.get("${server.baseUrl}")`;
    const { run } = await createAip(lua("Output", code));
    const { failure } = await run();
    expect(failure?.message).toContain("which is not on the public Internet");
    expect(server.connections).toBe(0);
  });

  test("ends at once when it is cancelled, whatever its Lua does, and at its timeout", async () => {
    const { project } = await createAip(lua("Output", "while true do pcall(function() end) end"));
    const cadre = await project.open({ agentFiles: ["agent.aip"], trust: true });
    const run = await cadre.spawn({ agent: "agent.aip" });
    for await (const event of run.events()) if (event.type === "step-finished") break;
    await run.cancel("enough");
    expect(await run.result()).toMatchObject({ status: "cancelled" });
    const late = await cadre.spawn({ agent: "agent.aip", timeoutSeconds: 0.2 });
    expect(await late.result()).toMatchObject({ status: "timed-out" });
  });

  test("of a project does not run in an untrusted folder, and the error says what would have run", async () => {
    const { project, server } = await createAip("# Instruction\nHi\n");
    const cadre = await project.open({ agentFiles: ["agent.aip"] });
    await expect(cadre.spawn({ agent: "agent.aip" })).rejects.toMatchObject({
      code: "not-trusted",
      message: expect.stringContaining(
        `would run the Lua in ${project.folder}/agent.aip`,
      ) as string,
    });
    expect(server.turns).toEqual([]);
    expect(await cadre.runs()).toEqual([]);
  });
});

test("an installed pack gets no code and no options from an untrusted folder", async () => {
  const project = createModelProject();
  const code = 'local ok, m = pcall(require, "extra")\nreturn { ok, options.temperature or 0 }';
  project.write("../home/.aipack-base/pack/installed/me/tools/main.aip", lua("Output", code));
  project.write(".aipack/custom/lua/extra.lua", "return 1");
  project.write(".aipack/config.toml", "[options]\ntemperature = 0.5\n");
  const run = async (options?: CadreOptions): Promise<RunResult> =>
    await (await (await project.open(options)).spawn({ agent: "me@tools" })).result();
  const { output, warnings } = await run();
  expect(output).toMatchObject({ outputs: [[false, 0]] });
  expect(warnings.join()).toMatch(/config\.toml:1: Its options were ignored/);
  expect(await run({ trust: true })).toMatchObject({
    output: { outputs: [[true, 0.5]] },
    warnings: [],
  });
});

test("agents are found in the project's folder and in packs, custom ones before installed ones", async () => {
  const project = createModelProject();
  const write = (path: string): void => project.write(path, "# Instruction\nHi\n");
  write(".cadre/agents/plain.aip");
  write(".cadre/agents/deep/main.aip");
  write(".aipack/custom/me/tools/main.aip");
  write(".aipack/custom/me/tools/lib/inner/main.aip");
  write("../home/.aipack-base/pack/installed/me/tools/main.aip");
  write("../home/.aipack-base/pack/installed/me/tools/gone.aip");
  write("../home/.aipack-base/pack/installed/you/kit/start.aip");
  project.write(
    "../home/.aipack-base/pack/installed/you/kit/pack.toml",
    'default_aip_path = "start.aip"',
  );
  const { agents } = await (await project.open()).agents();
  const aips = agents.filter(({ source }) => source.format === "aip");
  expect(aips.map(({ name, source }) => [name, source.scope])).toEqual([
    ["deep", "project"],
    ["plain", "project"],
    ["me@tools/lib/inner", "project"],
    ["me@tools", "project"],
    ["you@kit", "user"],
  ]);
});

test("an .aip agent takes part in a pipeline: the value that Lua returns is checked like any other", async () => {
  const server = await startModelServer(({ task }) => `did: ${task}`);
  const project = createModelProject(server);
  const shape =
    'return { coder_prompt = input.coder_prompt .. " Now.", emit_events = {}, agent_result = input.event }';
  project.write("shape.aip", lua("Output", shape));
  project.write("bad.aip", lua("After All", "return { emit_events = { 'x' } }"));
  project.write("good.md", "---\nsub_agents: [shape.aip]\n---\nGo.\n");
  project.write("bad.md", "---\nsub_agents: [shape.aip, bad.aip]\n---\nGo.\n");
  const cadre = await project.open({ agentFiles: ["good.md", "bad.md"], trust: true });
  const good = await (await cadre.spawn({ agent: "good.md" })).result();
  expect(good).toMatchObject({
    text: "did: Go. Now.",
    output: { sub_agents: [{ agent_result: "start" }] },
  });
  const bad = await (await cadre.spawn({ agent: "bad.md" })).result();
  expect(bad.failure).toMatchObject({ code: "output-invalid" });
  expect(bad.failure?.message).toContain(
    "Sub-agent [bad.aip] failed: its output is not valid: field `emit_events[0]`",
  );
});
