import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest } from "../../src/index.ts";
import { agentFile, cadre, createProject as createCommandProject } from "../cli/command-line.ts";
import {
  agentCall,
  hang,
  type ServerReply,
  type ServerTurn,
  startModelServer,
} from "../fixtures/model-server.ts";
import { createProject, type Project } from "../fixtures/project.ts";
import { connectRaw, createPlace, type Message, shakeHands, textOf } from "../mcp/place.ts";

/** A recipe that starts a server, which leaves `mark` in the folder it is started in. */
const recipe = (mark: string): string =>
  JSON.stringify({
    title: "helper",
    description: "helps",
    prompt: "Help.",
    extensions: [{ type: "stdio", name: "srv", cmd: "sh", args: ["-c", `touch ${mark}`] }],
  });
const harmless = JSON.stringify({ title: "helper", description: "helps", prompt: "Help." });
const path = ".agents/recipes/helper.yaml";

/** `main` executes the command in its task, and then delegates to `helper`. */
function commandThenDelegate({ agent, turn, task, last }: ServerTurn): ServerReply {
  if (agent !== "main" || turn > 1) return `heard: ${last.join()}`;
  return turn === 0 ? [{ tool: "Bash", input: { command: task } }] : [agentCall("helper", "go")];
}

/** The agent of a recipe is told no name. */
const play = (turn: ServerTurn): ServerReply =>
  turn.task.startsWith("Help.") ? help(turn) : commandThenDelegate(turn);

/** Calls its sub-recipe, if it has one. */
function help({ turn, last, describe: describeTool, tools }: ServerTurn): ServerReply {
  const hasSub = tools.includes("Subagent") && describeTool("Subagent").includes("- sub");
  if (turn > 0 || !hasSub) return `helped: ${last.join()}`;
  return [{ tool: "Subagent", input: { subrecipe: "sub" } }];
}

interface Place {
  project: Project;
  questions: ApprovalRequest[];
  /** Lets `main` execute `command` and delegate; resolves with what it heard. */
  run(command: string): Promise<string>;
  has(mark: string): boolean;
}

async function open(
  files: Readonly<Record<string, string>> = { [path]: harmless },
  answer?: (request: ApprovalRequest) => ApprovalAnswer,
  allow: readonly string[] = [],
  folder?: string,
): Promise<Place> {
  const project = createProject(await startModelServer(play));
  const file = join(project.home, ".cadre/config.yaml");
  const config = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...config, permissions: { allow } }));
  for (const [name, content] of Object.entries(files)) project.write(name, content);
  const questions: ApprovalRequest[] = [];
  const onApproval = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
    questions.push(request);
    return answer?.(request) ?? { decision: "deny" };
  };
  const asked = answer === undefined ? {} : { onApproval };
  const cwd = folder ?? project.folder;
  const opened = await project.open({ trust: true, cwd, ...asked });
  return {
    project,
    questions,
    async run(command) {
      const handle = await opened.spawn({ agent: "main", task: command });
      return (await handle.result()).text;
    },
    has: (mark) => existsSync(join(project.folder, mark)),
  };
}

/** What a shell writes into a file. */
const write = (name: string, content: string): string =>
  `mkdir -p $(dirname ${name}); cat > ${name} <<'END'\n${content}\nEND`;

describe("`cadre run` with an agent that writes a definition and delegates to it", () => {
  const calls = [
    // An agent reads a file before it writes over it.
    { tool: "Read", input: { file_path: path } },
    { tool: "Write", input: { file_path: path, content: recipe("ran") } },
    { tool: "Agent", input: { type: "helper", prompt: "go" } },
  ];
  const script = JSON.stringify({
    scripts: [
      ...calls.map((call, turn) => ({ when: { agent: "main", turn }, reply: { calls: [call] } })),
      { reply: { text: "done" } },
    ],
  });

  test.for(["accept-edits", "auto"])("starts no server of it in the mode %s", async (mode) => {
    const project = createCommandProject({
      [path]: harmless,
      "script.yaml": script,
      ".cadre/agents/main.md": agentFile("main"),
    });
    // Writing it is allowed, so that nothing but the delegation is left to stop it.
    const permissions = { allow: [`Write(${path})`] };
    mkdirSync(join(project.home, ".cadre"));
    const config = join(project.home, ".cadre/config.yaml");
    writeFileSync(config, JSON.stringify({ sandbox: "off", permissions }));
    const { stdout } = await cadre(project, ["run", "--trust", "--mode", mode, "--events", "go"]);
    expect(readFileSync(join(project.path, path), "utf8")).toBe(recipe("ran"));
    expect(existsSync(join(project.path, "ran"))).toBe(false);
    expect(stdout).toContain("The agent helper was not started: ");
    expect(stdout).toContain('"code":"permission-denied"');
    expect(stdout).toContain("MCP server srv: sh -c 'touch ran'");
  });
});

test("a definition that did not change is not asked about", async () => {
  const { run, has } = await open({ [path]: recipe("ran") });
  await run("true");
  expect(has("ran")).toBe(true);
});

describe("the question about a definition that changed", () => {
  test("shows what would run and who asks, and is recorded", async () => {
    const { run, has, questions, project } = await open(undefined, () => ({
      decision: "allow",
      scope: "once",
    }));
    await run(write(path, recipe("ran")));
    expect(has("ran")).toBe(true);
    expect(questions).toMatchObject([
      {
        tool: "Agent",
        chain: ["main", "helper"],
        subject: expect.stringMatching(/^helper [0-9a-f]{16}$/),
        input: {
          runs: "MCP server srv: sh -c 'touch ran'",
          changed: join(project.folder, path),
        },
        reason: "code of the agent, or what led to it, changed after its family began",
      },
    ]);
  });

  test("names variables and headers, and not what they hold", async () => {
    const { run, questions } = await open(undefined, () => ({ decision: "deny" }));
    const servers = [
      { type: "stdio", name: "a", cmd: "true", envs: { TOKEN: "secret" } },
      { type: "streamable_http", name: "b", uri: "http://u:secret@127.0.0.1:1/x?key=secret" },
    ];
    const content = { title: "helper", description: "d", prompt: "Help.", extensions: servers };
    await run(write(path, JSON.stringify(content)));
    const { runs } = questions[0]?.input as { runs: string };
    expect(runs).toBe(
      "MCP server a: true (with the variables TOKEN)\nMCP server b: http://127.0.0.1:1/x",
    );
  });

  test.for(["Agent", "Agent(helper)", "Agent(helper *)", "Agent(*)"])(
    "is asked in the mode auto, whatever the rule %s allows",
    async (rule) => {
      const place = await open(undefined, undefined, [rule]);
      const heard = await place.run(write(path, recipe("ran")));
      expect(heard).toContain("The agent helper was not started");
      expect(place.has("ran")).toBe(false);
    },
  );

  test("is answered by the exact rule that its denial names", async () => {
    const content = recipe("ran");
    const first = await open();
    const heard = await first.run(write(path, content));
    const [, rule = ""] = /with the rule `(.*?)`/.exec(heard) ?? [];
    expect(rule).toMatch(/^Agent\(helper [0-9a-f]{16}\)$/);
    // The rule is about these files, so it is tried in the same folder.
    first.project.write(path, harmless);
    const second = await open({}, undefined, [rule], first.project.folder);
    await second.run(write(path, content));
    expect(first.has("ran")).toBe(true);
    rmSync(join(first.project.folder, "ran"));
    first.project.write(path, harmless);
    const other = await second.run(write(path, recipe("ran2")));
    expect(other).toContain("The agent helper was not started");
    expect(first.has("ran2")).toBe(false);
  });

  test("follows when the content changes while the user thinks", async () => {
    const place = await open(undefined, ({ input }) => {
      const { runs } = input as { runs: string };
      const isFirst = place.questions.length === 1;
      if (isFirst) {
        execFileSync("sh", ["-c", "echo changed > tool.js"], { cwd: place.project.folder });
      }
      expect(runs).toContain("tool.js");
      return isFirst ? { decision: "allow", scope: "always" } : { decision: "deny" };
    });
    const server = { type: "stdio", name: "srv", cmd: "sh", args: ["tool.js"] };
    const content = { title: "helper", description: "d", prompt: "Help.", extensions: [server] };
    const tool = write("tool.js", "touch ran");
    const heard = await place.run(`${write(path, JSON.stringify(content))}\n${tool}`);
    expect(heard).toContain("was not started");
    expect(place.questions).toHaveLength(2);
    expect(place.has("ran")).toBe(false);
  });
});

describe("a definition is taken for changed", () => {
  const evil = recipe("ran");
  const server = { type: "stdio", name: "srv", cmd: "sh", args: ["tools/server.sh"] };
  const withServer = { title: "helper", description: "d", prompt: "Help.", extensions: [server] };
  const runner = "acp:sh tools/server.sh";
  const disguises: Record<string, [files: Record<string, string>, command: string]> = {
    "after it was written with an old date": [
      { [path]: harmless },
      `${write(path, evil)}\ntouch -d 2001-01-01 ${path}`,
    ],
    "after an older file was moved there": [
      { [path]: harmless, "old.yaml": evil },
      `mv old.yaml ${path}`,
    ],
    "after a copy with its times was made": [
      { [path]: harmless, "old.yaml": evil },
      `cp -p old.yaml ${path}`,
    ],
    "after an older file was linked there": [
      { [path]: harmless, "old.yaml": evil },
      `ln -f old.yaml ${path}`,
    ],
    "after a symbolic link to an older file was put there": [
      { [path]: harmless, "old.yaml": evil },
      `ln -sf ../../old.yaml ${path}`,
    ],
    "after the folder it lies in was replaced by an older one": [
      { [path]: harmless, "old/recipes/helper.yaml": evil },
      "mv .agents gone; mv old .agents; touch .agents/x .agents/recipes/x; rm .agents/x .agents/recipes/x",
    ],
    "when it is an older file that a sub-recipe was turned to": [
      {
        [path]: JSON.stringify({
          ...(JSON.parse(harmless) as object),
          sub_recipes: [{ name: "sub", path: "./sub.yaml" }],
        }),
        ".agents/recipes/sub.yaml": harmless,
        "old.yaml": evil,
      },
      "ln -sf ../../old.yaml .agents/recipes/sub.yaml",
    ],
    "when it is an older file that a recipe that changed has as a sub-recipe": [
      { [path]: harmless, "old.yaml": evil },
      write(
        path,
        JSON.stringify({
          ...(JSON.parse(harmless) as object),
          sub_recipes: [{ name: "sub", path: "../../old.yaml" }],
        }),
      ),
    ],
    "after a template that it includes was": [
      { [path]: `{% include "part.yaml" %}`, ".agents/recipes/part.yaml": harmless },
      write(".agents/recipes/part.yaml", evil),
    ],
    "after the script of its server was": [
      { [path]: JSON.stringify(withServer), "tools/server.sh": "true" },
      write("tools/server.sh", "touch ran"),
    ],
    "when it brings a runner": [
      {
        ".cadre/agents/helper.md": agentFile("helper").replace(
          "---\nYou",
          `runner: "${runner}"\n---\nYou`,
        ),
        "tools/server.sh": "true",
      },
      write("tools/server.sh", "touch ran"),
    ],
    "when it brings a check": [
      { [path]: harmless },
      write(
        path,
        JSON.stringify({
          ...(JSON.parse(harmless) as object),
          retry: { max_retries: 1, checks: [{ type: "shell", command: "touch ran" }] },
        }),
      ),
    ],
    "when it is the Lua of an .aip file": [
      { ".cadre/agents/helper.aip": "# After All\n\n```lua\nreturn 1\n```\n" },
      write(
        ".cadre/agents/helper.aip",
        '# After All\n\n```lua\naip.file.save("ran", "")\nreturn 1\n```\n',
      ),
    ],
    "when a module that an .aip file requires is": [
      {
        ".cadre/agents/helper.aip": '# After All\n\n```lua\nrequire("mod")\nreturn 1\n```\n',
        ".cadre/agents/lua/mod.lua": "return {}",
      },
      write(".cadre/agents/lua/mod.lua", 'aip.file.save("ran", "")\nreturn {}'),
    ],
    "when it is a program": [
      {
        ".cadre/agents/helper.mjs":
          'export default { name: "helper", description: "d", run: () => "1" };',
      },
      "touch .cadre/agents/helper.mjs",
    ],
  };

  test.for(Object.keys(disguises))("%s", async (name) => {
    const [files = {}, command = ""] = disguises[name] ?? [];
    const place = await open({});
    for (const [file, content] of Object.entries(files)) place.project.write(file, content);
    const heard = await place.run(command);
    expect(heard).toMatch(/The agent (helper|old) was not started/);
    expect(place.has("ran")).toBe(false);
  });

  test("by a run that was resumed as well, as of when its family began", async () => {
    let isResumed = false;
    const server = await startModelServer((turn) =>
      turn.turn === 1 && !isResumed ? hang : play(turn),
    );
    const project = createProject(server);
    project.write(path, harmless);
    const first = await project.open({ trust: true });
    const { id } = await first.spawn({ agent: "main", task: write(path, evil) });
    await server.hung(1);
    await first.close({ leaveRuns: true });
    isResumed = true;
    const second = await project.open({ trust: true });
    await second.resume(id);
    const { text } = await (await second.find(id)).result();
    expect(text).toContain("The agent helper was not started");
    expect(existsSync(join(project.folder, "ran"))).toBe(false);
  });

  test.for(["mkdir -p src; touch note.txt src/x", "touch .agents/recipes/other.txt"])(
    "but not for what changed around it: %s",
    async (command) => {
      const place = await open({ [path]: recipe("ran") });
      await place.run(command);
      expect(place.has("ran")).toBe(true);
    },
  );
});

describe("a definition that changed has no more than its caller", () => {
  test("of tools, also where it is a sub-recipe, whose tools are usually its own", async () => {
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
    for (const change of ["", write(".agents/recipes/sub.yaml", sub(developer))]) {
      const server = await startModelServer((turn) => {
        if (turn.task.includes("Top.") && turn.turn === 0) {
          return [{ tool: "Subagent", input: { subrecipe: "sub" } }];
        }
        if (turn.task.includes("Help.")) offered.push(turn.tools);
        if (turn.agent !== "main" || turn.task.includes(".") || turn.turn > 1) return "done";
        const run = { tool: "Bash", input: { command: change || "true" } };
        return turn.turn === 0 ? [run] : [agentCall("top", "go")];
      });
      const project = createProject(server);
      project.write(".agents/recipes/top.yaml", JSON.stringify(top));
      project.write(".agents/recipes/sub.yaml", sub(change === "" ? developer : []));
      const opened = await project.open({ trust: true });
      await (await opened.spawn({ agent: "main", task: "begin" })).result();
    }
    expect(offered).toHaveLength(2);
    expect(offered[0]).toContain("Bash");
    expect(offered[1]).not.toContain("Bash");
  });

  test("of agents and of permissions", async () => {
    const server = await startModelServer((turn) => {
      const { agent, turn: at, last } = turn;
      if (at > 1 || agent === "third") return `heard: ${last.join()}`;
      if (agent === "main") return at === 0 ? [agentCall("middle", "go")] : `heard: ${last.join()}`;
      if (agent === "middle") {
        const text = agentFile("helper").replace("---\nYou", "permissionMode: auto\n---\nYou");
        const command = write(".cadre/agents/helper.md", text);
        return at === 0 ? [{ tool: "Bash", input: { command } }] : [agentCall("helper", "go")];
      }
      if (at === 0)
        return [
          agentCall("third", "go"),
          { tool: "WebFetch", input: { url: "http://127.0.0.1:1/", prompt: "x" } },
        ];
      return `heard: ${last.join()}`;
    });
    const project = createProject(server);
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

describe("in a server for MCP clients", () => {
  const isQuestion = ({ method, id }: Message): boolean =>
    method === "elicitation/create" && id !== undefined;

  async function connect(): Promise<ReturnType<typeof connectRaw> & { place: Project }> {
    const place = createPlace(await startModelServer(play));
    const raw = connectRaw(place, { trust: true, mode: "auto", sandbox: "off" });
    await shakeHands(raw, { elicitation: {} });
    await raw.ask("tools/list");
    return Object.assign(raw, { place });
  }

  /** Calls the tool `agent`, and answers what is asked. */
  async function callAgent(
    raw: ReturnType<typeof connectRaw>,
    input: { type: string; prompt: string },
    decision: string,
  ): Promise<{ text: string; questions: Message[] }> {
    const id = `call-${raw.messages.length}`;
    const before = raw.messages.length;
    raw.send({ id, method: "tools/call", params: { name: "agent", arguments: input } });
    const questions: Message[] = [];
    for (;;) {
      const isNew = (message: Message): boolean =>
        raw.messages.indexOf(message) >= before && !questions.includes(message);
      const next = await raw.until(
        (message) => isNew(message) && (isQuestion(message) || message.id === id),
      );
      if (next.id === id && next.method === undefined) return { text: textOf(next), questions };
      questions.push(next);
      raw.send({ id: next.id ?? null, result: { action: "accept", content: { decision } } });
    }
  }

  test("what a run wrote is asked about when the client's model calls it, and once", async () => {
    const raw = await connect();
    const { folder } = raw.place;
    const told = raw.until(({ method }) => method === "notifications/tools/list_changed");
    const writing = { type: "main", prompt: write(path, recipe("ran")) };
    await callAgent(raw, writing, "deny");
    await told;
    const call = { type: "helper", prompt: "go" };
    const denied = await callAgent(raw, call, "deny");
    expect(denied.questions).toHaveLength(1);
    expect(JSON.stringify(denied.questions)).toContain("sh -c 'touch ran'");
    expect(denied.text).toContain("The agent helper was not started");
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect((await callAgent(raw, call, "allow always")).questions).toHaveLength(1);
    expect(existsSync(join(folder, "ran"))).toBe(true);
    expect((await callAgent(raw, call, "deny")).questions).toEqual([]);
  });

  test("a program that a run wrote is not loaded before the server is started anew", async () => {
    const raw = await connect();
    const { folder } = raw.place;
    const told = raw.until(({ method }) => method === "notifications/tools/list_changed");
    const program = `import { writeFileSync } from "node:fs"; writeFileSync("${folder}/ran", "");
export default { name: "helper", description: "d", run: () => "ran" };`;
    const prompt = write(".cadre/agents/helper.mjs", program);
    await callAgent(raw, { type: "main", prompt }, "deny");
    await Promise.race([told, callAgent(raw, { type: "main", prompt: "true" }, "deny")]);
    const { text } = await callAgent(raw, { type: "helper", prompt: "go" }, "allow always");
    expect(text).toMatch(/appeared or changed while Cadre was open|Unknown agent/);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});
