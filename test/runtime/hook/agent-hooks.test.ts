import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CadreOptions } from "../../../src/index.ts";
import type { CompletionCall } from "../../fixtures/chat-completion.ts";
import { agentCall, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

const command = (text: string, more: object = {}): object => ({
  hooks: [{ type: "command", command: text }],
  ...more,
});
const writeFile = (name: string): CompletionCall => ({
  tool: "Write",
  input: { file_path: name, content: "x" },
});

/** `main` delegates to `hooked` and then to `plain`. Each writes a file with its own name. */
async function open(hooks: object, options: CadreOptions = {}, configuration: object = {}) {
  const server = await startModelServer(({ agent, turn, last }) => {
    if (turn === 0 && agent !== "main") return [writeFile(`${agent}.txt`)];
    if (agent !== "main") return `told: ${last.join(" ")}`;
    if (turn === 0) return [agentCall("hooked", "go")];
    return turn === 1 ? [agentCall("plain", "go")] : `main: ${last.join(" ")}`;
  });
  const project = createModelProject(server);
  project.writeAgent("hooked", { hooks });
  project.writeAgent("plain");
  project.write(".cadre/config.yaml", JSON.stringify(configuration));
  const cadre = await project.open({ trust: true, ...options });
  const has = (name: string): boolean => existsSync(join(project.folder, name));
  const read = (name: string): string => readFileSync(join(project.folder, name), "utf8");
  return { cadre, server, project, has, read };
}

describe("hooks of an agent file", () => {
  test("are called for the runs of that agent only", async () => {
    const hooks = { PreToolUse: [command("echo frozen >&2; exit 2", { matcher: "Write" })] };
    const { cadre, has } = await open(hooks);
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await run.result();
    const [hooked] = await run.descendants();
    expect((await hooked?.result())?.text).toContain("the hooks of agent hooked: frozen");
    expect(has("hooked.txt")).toBe(false);
    expect(has("plain.txt")).toBe(true);
  });

  test("come after those of the configuration, and restrict further", async () => {
    const hooks = { PreToolUse: [command("echo agent >> order; exit 0")] };
    const configuration = { hooks: { PreToolUse: [command("echo configuration >> order")] } };
    const { cadre, read } = await open(hooks, {}, configuration);
    await cadre.run({ agent: "hooked", task: "go" });
    expect(read("order")).toBe("configuration\nagent\n");
  });

  test.each(["main", "hooked"])(
    "take `Stop` and `SubagentStop` for the end of the agent, started by %s",
    async (agent) => {
      const once = (file: string): string =>
        `[ -e ${file} ] || { touch ${file}; echo again >&2; exit 2; }`;
      const hooks = {
        Stop: [command(once("one"))],
        SubagentStop: [
          command(once("two"), { matcher: "hooked" }),
          command("touch three", { matcher: "other" }),
        ],
      };
      const { cadre, has, server } = await open(hooks);
      await cadre.run({ agent, task: "go" });
      expect([has("one"), has("two"), has("three")]).toEqual([true, true, false]);
      const own = server.turns.filter((turn) => turn.agent === "hooked");
      expect(own.length).toBeGreaterThan(2);
    },
  );

  test("are not executed in a folder that is not trusted: the agent is refused", async () => {
    const hooks = { SubagentStart: [command("touch started")] };
    const { cadre, has } = await open(hooks, { trust: false });
    await expect(cadre.spawn({ agent: "hooked", task: "go" })).rejects.toThrow(
      /not trusted, as its hooks: touch started\. Read .*hooked\.md.*cadre trust/,
    );
    expect(has("started")).toBe(false);
  });

  test("decide once: a resume reads what they decided", async () => {
    const context = JSON.stringify({ hookSpecificOutput: { additionalContext: "be brief" } });
    const hooks = { SubagentStart: [command(`echo x >> calls; echo '${context}'`)] };
    const { cadre, read, server } = await open(hooks);
    const run = await cadre.spawn({ agent: "main", task: "go" });
    await run.result();
    expect(read("calls")).toBe("x\n");
    expect(server.turns.find(({ agent }) => agent === "hooked")?.last.join()).toContain("be brief");
    const [hooked] = await run.descendants();
    const notes = (await hooked?.journal())?.filter(
      (event) => event.type === "step-finished" && event.key.endsWith("/hook/beforeRun"),
    );
    expect(notes).toHaveLength(1);
  });

  test("may be given in code, and are checked there", async () => {
    const agent = { name: "mine", description: "d", systemPrompt: "You are plain." };
    const hooks = { PreToolUse: [{ matcher: "Write", hooks: [{ command: "exit 2" }] }] };
    const { cadre, has } = await open({}, { agents: [{ ...agent, hooks }] });
    await cadre.run({ agent: "mine", task: "go" });
    expect(has("plain.txt")).toBe(false);
    const wrong = { ...agent, hooks: { PreToolUs: [] } } as never;
    await expect(open({}, { agents: [wrong] })).rejects.toThrow(/PreToolUs/);
  });
});

describe("hooks of an agent file that Cadre cannot call", () => {
  test.each([
    [{ PreToolUs: [] }, "error", "Did you mean `PreToolUse`?"],
    [
      { Notification: [command("x")] },
      "warning",
      "`Notification` is not an event of runs in Cadre",
    ],
    [
      { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "x" }] }] },
      "error",
      "Cadre only calls commands",
    ],
    [{ PostToolUse: [{ hooks: [{ type: "prompt", prompt: "x" }] }] }, "warning", "is never called"],
    [{ PreToolUse: [command("x", { matcher: "(" })] }, "error", "got `(`"],
    [
      { PreToolUse: [{ hooks: [{ type: "command" }] }] },
      "error",
      "Expected `command` to be a command",
    ],
    [{ PreToolUse: { hooks: [] } }, "error", "Expected a list of groups"],
    [
      { PreToolUse: [{ hooks: [{ type: "command", command: "x", timeout: -1 }] }] },
      "error",
      "Expected `timeout`",
    ],
    [
      { PreToolUse: [{ hooks: [{ type: "command", command: "x", if: "Bash(git *)" }] }] },
      "error",
      "`if` limits this hook",
    ],
    [
      { PostToolUse: [{ hooks: [{ type: "command", command: "x", async: true }] }] },
      "warning",
      "`async` has no effect",
    ],
    [{ Stop: [command("x", { matcher: "y" })] }, "warning", "`matcher` has no effect at Stop"],
  ])("are reported with their place: %j", async (hooks, severity, message) => {
    const { cadre } = await open(hooks);
    const { all } = await cadre.agents();
    const found = all.find(({ name }) => name === "hooked")?.diagnostics ?? [];
    expect(found).toMatchObject([{ severity, line: 4, message: expect.stringContaining(message) }]);
  });
});

describe("hooks of Claude Code's settings", () => {
  const ask = { claudeHooks: true };
  const touch = (name: string): object => ({ hooks: { SessionStart: [command(`touch ${name}`)] } });

  async function start(configuration: object, files: Record<string, object>, trust = true) {
    const fixture = await open({}, {}, configuration);
    const { project } = fixture;
    for (const [path, content] of Object.entries(files))
      project.write(path, JSON.stringify(content));
    const cadre = await project.open({ trust });
    await cadre.run({ agent: "plain", task: "go" });
    return { ...fixture, cadre };
  }

  test("are called when they are asked for, of all files", async () => {
    const files = {
      ".claude/settings.json": touch("project"),
      ".claude/settings.local.json": touch("local"),
      "../home/.claude/settings.json": touch("user"),
    };
    const { has, cadre } = await start(ask, files);
    expect([has("project"), has("local"), has("user")]).toEqual([true, true, true]);
    const { origin } = cadre.configuration.sources["hooks.SessionStart"] ?? {};
    expect(origin).toMatch(/settings\.json:1, .*settings\.json:1, .*settings\.local\.json:1$/);
    expect((await start({}, files)).has("project")).toBe(false);
  });

  test("are off when one file turns them off", async () => {
    const files = {
      ".claude/settings.json": touch("project"),
      ".claude/settings.local.json": { disableAllHooks: true },
    };
    expect((await start(ask, files)).has("project")).toBe(false);
  });

  test("of a project count only if it is trusted, and that is reported", async () => {
    const fixture = await open({});
    const { project, has } = fixture;
    project.write(".claude/settings.json", JSON.stringify(touch("project")));
    project.write(
      "../home/.cadre/config.yaml",
      readFileSync(join(project.home, ".cadre/config.yaml"), "utf8").replace(
        /}$/,
        ',"claudeHooks":true}',
      ),
    );
    const cadre = await project.open();
    await cadre.run({ agent: "plain", task: "go" });
    expect(has("project")).toBe(false);
    expect(cadre.configuration.diagnostics).toMatchObject([
      { code: "not-trusted", line: 1, path: join(project.folder, ".claude/settings.json") },
    ]);
  });

  test.each([
    ["[]", "Expected `hooks` to be a map"],
    ['{ "PreToolUse": [{ "hooks": [{ "type": "agent" }] }] }', "Cadre only calls commands"],
  ])("that are wrong are errors of the configuration: %s", async (hooks, message) => {
    const { project } = await open({}, {}, ask);
    project.write(".claude/settings.json", `{ "hooks": ${hooks} }`);
    const cadre = await project.open({ trust: true });
    expect(cadre.configuration.diagnostics[0]).toMatchObject({
      severity: "error",
      message: expect.stringContaining(message),
    });
    await expect(cadre.spawn({ agent: "plain", task: "go" })).rejects.toThrow(/settings\.json/);
  });
});
