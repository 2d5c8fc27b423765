import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CadreOptions } from "../../src/index.ts";
import type { CompletionCall } from "../fixtures/chat-completion.ts";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

/** Creates a project with an agent of the user that has a memory, makes `calls`, and answers with their outcomes. */
async function createFixture(
  calls: (folder: string) => readonly CompletionCall[],
  fields: Record<string, unknown> = {},
) {
  const server = await startModelServer(({ agent, turn, last }) => {
    if (turn > 0) return last.join("\n");
    const wanted = agent === "child" ? [write("child.txt")] : calls(folder);
    // A reply without a call and a text would be requested again.
    return wanted.length === 0 ? "done" : wanted;
  });
  const project = createModelProject(server);
  const folder = join(project.home, ".claude/agent-memory/keeper");
  const header = { name: "keeper", description: "keeps", tools: "Grep", memory: "user", ...fields };
  const lines = Object.entries(header).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  mkdirSync(join(project.home, ".claude/agents"), { recursive: true });
  writeFileSync(
    join(project.home, ".claude/agents/keeper.md"),
    `---\n${lines.join("\n")}\n---\nYou are keeper.\n`,
  );
  const run = async (options: CadreOptions = {}) => {
    const cadre = await project.open({ mode: "ask", ...options });
    return await cadre.run({ agent: "keeper", task: "go" });
  };
  return { server, project, folder, run, index: join(folder, "MEMORY.md") };
}

function write(path: string, content = "Use tabs."): CompletionCall {
  return { tool: "Write", input: { file_path: path, content } };
}

describe("an agent with a memory", () => {
  test("writes its notes without a question, and the next run begins with the index", async () => {
    const { server, folder, run, index } = await createFixture((place) => [
      write(join(place, "MEMORY.md")),
      write(join(place, "topics/git.md")),
    ]);
    const { text, warnings } = await run();
    expect(text).toContain("Created");
    expect(warnings).toEqual([]);
    expect(readFileSync(index, "utf8")).toBe("Use tabs.");
    expect(existsSync(join(folder, "topics/git.md"))).toBe(true);
    await run();
    expect(server.turns[0]?.system).toContain("The index is empty so far.");
    expect(server.turns[0]?.system).toContain(`\`${folder}\``);
    expect(server.turns[2]?.system).toContain("<memory>\nUse tabs.\n</memory>");
  });

  test("has Read, Write and Edit for that only, if it does not have them otherwise", async () => {
    const { server, project, run } = await createFixture((place) => [
      write("notes.md"),
      write(join(place, "../other/MEMORY.md")),
      write(join(place, "run.sh")),
      write(join(place, ".claude/agents/a.md")),
      { tool: "Read", input: { file_path: join(place, "../../settings.json") } },
    ]);
    writeFileSync(join(project.home, ".claude/settings.json"), "{}");
    const { text } = await run({ mode: "auto" });
    expect(server.turns[0]?.tools.sort()).toEqual(["Edit", "Grep", "Read", "Write"]);
    expect(text.match(/You may use (?:Write|Read) only for Markdown files in /g)).toHaveLength(5);
    expect(existsSync(join(project.folder, "notes.md"))).toBe(false);
  });

  test("gives its sub-agents no tool that it has for its memory only", async () => {
    const { server, project, run } = await createFixture(() => [agentCall("child", "write")], {
      tools: "Agent, Grep",
    });
    project.writeAgent("child", { tools: ["Write", "Grep"] });
    await run({ mode: "auto" });
    const child = server.turns.find(({ agent }) => agent === "child");
    expect(child?.tools).toEqual(["Grep"]);
    expect(existsSync(join(project.folder, "child.txt"))).toBe(false);
  });

  test("keeps the questions about other files if it has the tools", async () => {
    const { run, project, index } = await createFixture(
      (place) => [write(join(place, "MEMORY.md")), write("a.md"), write(join(place, "a.sh"))],
      { tools: "Write, Read" },
    );
    const asked: string[] = [];
    const { text } = await run({
      onApproval: async ({ title }) => {
        asked.push(title);
        return { decision: "allow", scope: "once" };
      },
    });
    expect(asked.sort().reverse()).toEqual([
      "Write a.md",
      expect.stringContaining("agent-memory/keeper/a.sh"),
    ]);
    expect(existsSync(index)).toBe(true);
    expect(existsSync(join(project.folder, "a.md"))).toBe(true);
    expect(text).toContain("is outside the workspace");
  });

  test.each([
    ["the mode plan", { mode: "plan" as const }, {}],
    ["a rule that denies it", {}, { disallowedTools: "Write" }],
  ])("cannot write it against %s", async (_, options, fields) => {
    const { run, index } = await createFixture(
      (place) => [write(join(place, "MEMORY.md"))],
      fields,
    );
    await run(options);
    expect(existsSync(index)).toBe(false);
  });

  test("of an untrusted project gets none, with a warning; trust gives it one", async () => {
    const { project, server } = await createFixture(() => []);
    project.write(
      ".claude/agents/local.md",
      "---\nname: local\ndescription: x\nmemory: project\n---\nYou are local.\n",
    );
    const before = await project.open();
    const { warnings } = await before.run({ agent: "local", task: "go" });
    expect(warnings).toEqual([
      expect.stringMatching(/^Agent local runs without its memory \(project\): .*not in a trusted/),
    ]);
    expect(server.turns[0]?.system).not.toContain("# Your memory");
    const after = await project.open({ trust: true });
    await after.run({ agent: "local", task: "go" });
    expect(server.turns.at(-1)?.system).toContain(`${project.folder}/.claude/agent-memory/local`);
  });

  test("has no cached results", async () => {
    const { server, run } = await createFixture(() => []);
    const cached = { agents: [], limits: {} };
    await run(cached);
    await run(cached);
    expect(server.turns).toHaveLength(2);
  });
});

describe("the first words of an agent", () => {
  test("precede the task of a root run", async () => {
    const server = await startModelServer(({ agent, turn }) =>
      agent === "lead" && turn === 0 ? [agentCall("child", "look")] : "done",
    );
    const project = createModelProject(server);
    project.writeAgent("lead", { initial_prompt: "Read the plan." });
    project.writeAgent("child", { initial_prompt: "Never said." });
    const cadre = await project.open();
    await cadre.run({ agent: "lead", task: "go" });
    expect(server.turns.map(({ agent, task }) => [agent, task])).toEqual([
      ["lead", "Read the plan.\n\ngo"],
      ["child", "look"],
      ["lead", "Read the plan.\n\ngo"],
    ]);
  });

  test("are said once in a conversation", async () => {
    const server = await startModelServer(() => "done");
    const project = createModelProject(server);
    project.write("AGENTS.md", "Use tabs.");
    project.writeAgent("lead", { initial_prompt: "Read the plan." });
    const cadre = await project.open();
    const first = await cadre.spawn({ agent: "lead", task: "go" });
    await first.result();
    await (await first.continue("more")).result();
    expect(server.turns.map(({ task }) => task)).toEqual([
      "Read the plan.\n\ngo",
      "Read the plan.\n\ngo",
    ]);
    expect(server.turns[1]?.last).toEqual(["more"]);
    expect(server.turns[1]?.system).toContain("Use tabs.");
  });
});
