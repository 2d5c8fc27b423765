import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, createProject as createCommandProject } from "../cli/command-line.ts";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import {
  changeFrom,
  harmless,
  openChangingFixture,
  recipePath,
  recipe,
  work,
  writeCommand,
} from "../fixtures/delegation/changing-project.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

describe("`cadre run` with an agent that writes a definition and delegates to it", () => {
  const calls = [
    // An agent must read a file before it replaces it.
    { tool: "Read", input: { file_path: recipePath } },
    { tool: "Write", input: { file_path: recipePath, content: recipe("ran") } },
    { tool: "Agent", input: { type: "helper", prompt: "go" } },
  ];
  const script = JSON.stringify({
    scripts: [
      ...calls.map((call, turn) => ({ when: { agent: "main", turn }, reply: { calls: [call] } })),
      { reply: { text: "done" } },
    ],
  });

  test.for(["accept-edits", "auto"])("starts none of its servers in the mode %s", async (mode) => {
    const project = createCommandProject({
      [recipePath]: harmless,
      "script.yaml": script,
      ".cadre/agents/main.md": agentFile("main"),
    });
    // Writing is allowed, so that only the delegation can stop it.
    const permissions = { allow: [`Write(${recipePath})`] };
    mkdirSync(join(project.home, ".cadre"));
    const config = join(project.home, ".cadre/config.yaml");
    writeFileSync(config, JSON.stringify({ sandbox: "off", permissions }));
    const { stdout } = await cadre(project, ["run", "--trust", "--mode", mode, "--events", "go"]);
    expect(readFileSync(join(project.path, recipePath), "utf8")).toBe(recipe("ran"));
    expect(existsSync(join(project.path, "ran"))).toBe(false);
    expect(stdout).toContain("The agent helper was not started: ");
    expect(stdout).toContain('"code":"permission-denied"');
    expect(stdout).toContain("MCP server srv: sh -c 'touch ran'");
  });
});

test("a definition that an agent writes with a command is removed, and the agent is told so", async () => {
  const toolResults: string[] = [];
  const server = await startModelServer(({ agent, turn, task, last }) => {
    if (task.startsWith("Help.")) return "helped";
    if (agent !== "main" || turn > 1) return `heard: ${last.join()}`;
    if (turn === 1) toolResults.push(...last);
    return turn === 0 ? [{ tool: "Bash", input: { command: task } }] : [agentCall("helper", "go")];
  });
  const project = createModelProject(server);
  project.write(recipePath, harmless);
  const opened = await project.open({ trust: true });
  const task = writeCommand(recipePath, recipe("ran"));
  const { text } = await (await opened.spawn({ agent: "main", task })).result();
  expect(toolResults.join()).toContain("were undone");
  expect(toolResults.join()).toContain(join(project.folder, recipePath));
  expect(readFileSync(join(project.folder, recipePath), "utf8")).toBe(harmless);
  expect(text).toContain("helped");
  expect(existsSync(join(project.folder, "ran"))).toBe(false);
});

test("an unchanged definition needs no approval", async () => {
  const { run, has } = await openChangingFixture({ [recipePath]: recipe("ran") });
  await run("true");
  expect(has("ran")).toBe(true);
});

describe("the question about a changed definition", () => {
  test("shows what would run and the chain of agents, and is recorded", async () => {
    const { run, has, questions, project } = await openChangingFixture(undefined, () => ({
      decision: "allow",
      scope: "once",
    }));
    await run(writeCommand(recipePath, recipe("ran")));
    expect(has("ran")).toBe(true);
    expect(questions).toMatchObject([
      {
        tool: "Agent",
        chain: ["main", "helper"],
        subject: expect.stringMatching(/^helper [0-9a-f]{16}$/),
        input: {
          runs: "MCP server srv: sh -c 'touch ran'",
          changed: join(project.folder, recipePath),
        },
        reason: "code of the agent, or a file that refers to it, changed after its family began",
      },
    ]);
  });

  test("names variables and headers, without their values", async () => {
    const { run, questions } = await openChangingFixture(undefined, () => ({ decision: "deny" }));
    const servers = [
      { type: "stdio", name: "a", cmd: "true", envs: { TOKEN: "secret" } },
      { type: "streamable_http", name: "b", uri: "http://u:secret@127.0.0.1:1/secret?key=secret" },
    ];
    const content = { title: "helper", description: "d", prompt: "Help.", extensions: servers };
    await run(writeCommand(recipePath, JSON.stringify(content)));
    const runs = "MCP server a: true (with the variables TOKEN)\nMCP server b (127.0.0.1:1)";
    expect(questions).toMatchObject([{ input: { runs } }]);
    expect(JSON.stringify(questions)).not.toContain("secret");
  });

  test.for(["Agent", "Agent(helper)", "Agent(helper *)", "Agent(*)"])(
    "is asked in the mode auto, even with the rule %s",
    async (rule) => {
      const project = await openChangingFixture(undefined, undefined, [rule]);
      const toolResult = await project.run(writeCommand(recipePath, recipe("ran")));
      expect(toolResult).toContain("The agent helper was not started");
      expect(project.has("ran")).toBe(false);
    },
  );

  test("is answered by the exact rule that its denial names", async () => {
    const content = recipe("ran");
    const first = await openChangingFixture();
    const toolResult = await first.run(writeCommand(recipePath, content));
    const [, rule = ""] = /with the rule `(.*?)`/.exec(toolResult) ?? [];
    expect(rule).toMatch(/^Agent\(helper [0-9a-f]{16}\)$/);
    // The rule applies to these files, so it is tested in the same folder.
    first.project.write(recipePath, harmless);
    const second = await openChangingFixture({}, undefined, [rule], first.project.folder);
    await second.run(writeCommand(recipePath, content));
    expect(first.has("ran")).toBe(true);
    rmSync(join(first.project.folder, "ran"));
    first.project.write(recipePath, harmless);
    const other = await second.run(writeCommand(recipePath, recipe("ran2")));
    expect(other).toContain("The agent helper was not started");
    expect(first.has("ran2")).toBe(false);
  });

  test("follows when the content changes while the user thinks", async () => {
    const project = await openChangingFixture(undefined, ({ input }) => {
      const { runs } = input as { runs: string };
      const isFirst = project.questions.length === 1;
      if (isFirst) {
        execFileSync("sh", ["-c", "echo changed > tool.js"], { cwd: project.project.folder });
      }
      expect(runs).toContain("tool.js");
      return isFirst ? { decision: "allow", scope: "always" } : { decision: "deny" };
    });
    const server = { type: "stdio", name: "srv", cmd: "sh", args: ["tool.js"] };
    const content = { title: "helper", description: "d", prompt: "Help.", extensions: [server] };
    const tool = writeCommand("tool.js", "touch ran");
    const toolResult = await project.run(
      `${writeCommand(recipePath, JSON.stringify(content))}\n${tool}`,
    );
    expect(toolResult).toContain("was not started");
    expect(project.questions).toHaveLength(2);
    expect(project.has("ran")).toBe(false);
  });
});

describe("a changed definition has no more rights than its caller", () => {
  test("for tools, even if it is a sub-recipe, which usually has its own tools", async () => {
    const developer = [{ type: "builtin", name: "developer" }];
    const sub = (extensions: object[]): string =>
      JSON.stringify({ title: "sub", description: "d", prompt: "Help.", extensions });
    const top = {
      title: "top",
      description: "d",
      prompt: "Top.",
      extensions: [],
      sub_recipes: [{ name: "sub", path: "./sub.yaml" }],
    };
    const offered: string[][] = [];
    for (const change of ["", writeCommand(".agents/recipes/sub.yaml", sub(developer))]) {
      const server = await startModelServer((turn) => {
        if (turn.task.includes("Top.") && turn.turn === 0) {
          return [{ tool: "Subagent", input: { subrecipe: "sub" } }];
        }
        if (turn.task.includes("Help.")) offered.push(turn.tools);
        if (turn.agent !== "main" || turn.task.includes(".") || turn.turn > 1) return "done";
        if (turn.turn === 0) return [work];
        changeFrom(project.folder, change);
        return [agentCall("top", "go")];
      });
      const project: ModelProject = createModelProject(server);
      project.write(".agents/recipes/top.yaml", JSON.stringify(top));
      project.write(".agents/recipes/sub.yaml", sub(change === "" ? developer : []));
      const opened = await project.open({ trust: true });
      await (await opened.spawn({ agent: "main", task: "begin" })).result();
      // With or without a change, the sub-recipe that ran had the tools.
      const ran = readFileSync(join(project.folder, ".agents/recipes/sub.yaml"), "utf8");
      expect(ran.trim()).toBe(sub(developer));
    }
    expect(offered).toHaveLength(2);
    expect(offered[0]).toContain("Bash");
    expect(offered[1]).not.toContain("Bash");
  });

  test("for agents and permissions", async () => {
    const server = await startModelServer((turn) => {
      const { agent, turn: at, last } = turn;
      if (at > 1 || agent === "third") return `heard: ${last.join()}`;
      if (agent === "main") return at === 0 ? [agentCall("middle", "go")] : `heard: ${last.join()}`;
      if (agent === "middle") {
        if (at === 0) return [work];
        const text = agentFile("helper").replace("---\nYou", "permissionMode: auto\n---\nYou");
        changeFrom(project.folder, writeCommand(".cadre/agents/helper.md", text));
        return [agentCall("helper", "go")];
      }
      if (at === 0)
        return [
          agentCall("third", "go"),
          { tool: "WebFetch", input: { url: "http://127.0.0.1:1/", prompt: "x" } },
        ];
      return `heard: ${last.join()}`;
    });
    const project: ModelProject = createModelProject(server);
    project.writeAgent("middle", { agents: ["helper"] });
    project.writeAgent("helper", {});
    project.writeAgent("third");
    project.writeAgent("main", { agents: ["middle"] });
    const config = JSON.parse(readFileSync(join(project.home, ".cadre/config.yaml"), "utf8"));
    const permissions = { deny: ["WebFetch"] };
    writeFileSync(
      join(project.home, ".cadre/config.yaml"),
      JSON.stringify({ ...config, permissions }),
    );
    const opened = await project.open({ trust: true });
    const { text } = await (await opened.spawn({ agent: "main", task: "begin" })).result();
    expect(text).toContain("may not delegate to third");
    expect(text).toContain("Permission denied for");
    expect(text).toContain("The agent helper changed after its family began");
  });
});
