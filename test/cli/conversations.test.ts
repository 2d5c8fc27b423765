import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "./command-line.ts";

const script = `scripts:
  - reply: { text: "answer {{turn}} to {{task}}" }
`;

function createFixture(): Project {
  return createProject({
    "script.yaml": script,
    ".cadre/agents/reader.md": agentFile("reader"),
    ".cadre/agents/clock.ts": clock,
  });
}

const clock = `export default { name: "clock", description: "Tells the time", run: () => "noon" };\n`;

async function run(project: Project, ...words: string[]): Promise<{ runId: string; text: string }> {
  const { code, stdout, stderr } = await cadre(project, ["run", "--json", ...words]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { runId: string; text: string };
}

describe.concurrent("continuing a conversation", () => {
  it("takes the latest one, and all words as its text", async () => {
    const project = createFixture();
    const first = await run(project, "reader", "say hello");
    const second = await run(project, "-c", "reader", "again");
    const shown = await cadre(project, ["show", second.runId]);
    expect(shown.stdout).toContain(`continues  ${first.runId}`);
    expect(shown.stdout).toContain("TASK\n   reader again\n");
    expect((await cadre(project, ["tree", "last"])).stdout).toMatch(/continues \w+/);
    expect((await cadre(project, ["runs", "--json"])).stdout).toContain('"conversation"');
  });

  it("takes the conversation of a run with --continue=RUN, before or after the text", async () => {
    const project = createFixture();
    const first = await run(project, "reader", "one");
    await run(project, "reader", "two");
    const short = first.runId.split("-")[1] ?? "";
    const third = await run(project, "three", `--continue=${short}`);
    const shown = JSON.parse((await cadre(project, ["show", third.runId, "--json"])).stdout) as {
      run: { continues: string; agent: string };
    };
    expect(shown.run).toMatchObject({ continues: first.runId, agent: "reader" });
  });

  it("skips programs, whose runs cannot continue, and refuses a named one", async () => {
    const project = createFixture();
    const first = await run(project, "reader", "one");
    const program = await run(project, "--trust", "clock", "when?");
    const next = await run(project, "--continue", "two");
    expect((await cadre(project, ["show", next.runId])).stdout).toContain(first.runId);
    const refused = await cadre(project, [
      "run",
      `--continue=${program.runId}`,
      "--trust",
      "and now?",
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("clock is a program, which reads no messages");
    expect(refused.stderr).toContain("with --agent");
  });

  it("refuses what makes no sense, and starts nothing", async () => {
    const project = createFixture();
    const nothing = await cadre(project, ["run", "-c", "on"]);
    expect(nothing).toMatchObject({ code: 2 });
    expect(nothing.stderr).toContain("There is no conversation to continue here yet");
    await run(project, "reader", "one");
    for (const [words, message] of [
      [["run", "-c"], "Expected a text for the next turn"],
      [["run", "-c", "on", "--recipe", "x.yaml"], "Expected --continue or --recipe"],
      [["run", "-c", "on", "--param", "a=b"], "Expected --continue or --param"],
      [["run", "-c", "on", "--interactive"], "Expected --continue or --interactive"],
      [["run", "--continue=nobody", "on"], "There is no run nobody"],
    ] as const) {
      const { code, stderr } = await cadre(project, [...words]);
      expect(code, stderr).not.toBe(0);
      expect(stderr).toContain(message);
    }
    const { runs } = JSON.parse((await cadre(project, ["runs", "--json"])).stdout) as {
      runs: unknown[];
    };
    expect(runs).toHaveLength(1);
  });

  it("names --agent when the agent is gone", async () => {
    const project = createFixture();
    const agent = ".cadre/agents/guest.md";
    project.write(agent, agentFile("guest"));
    await run(project, "guest", "one");
    project.write(agent, "---\nname: somebody-else\ndescription: x\n---\nYou are another.\n");
    const refused = await cadre(project, ["run", "-c", "two"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/agent guest is no longer in \S+guest\.md.*--agent/);
    expect((await run(project, "-c", "--agent", "reader", "two")).text).toContain("answer");
  });

  it("forks a conversation at its end without --at", async () => {
    const project = createFixture();
    const first = await run(project, "reader", "one");
    const fork = await cadre(project, ["fork", "last", "--task", "another way", "--json"]);
    expect(fork.code, fork.stderr).toBe(0);
    const { runId } = JSON.parse(fork.stdout) as { runId: string };
    expect((await cadre(project, ["show", runId])).stdout).toContain("another way");
    const list = await cadre(project, ["conversations", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject({
      conversations: [{ id: runId }, { id: first.runId }],
    });
  });
});

describe.concurrent("cadre conversations", () => {
  it("lists them with turns and titles, within 80 columns, and searches them", async () => {
    const project = createFixture();
    await run(project, "reader", "plan the very long trip to the sea with everybody and the dog");
    await run(project, "-c", "and back");
    const { stdout } = await cadre(project, ["conversations"]);
    expect(stdout).toMatch(/^CONVERSATION +STATUS +AGENT +TURNS +COST +ACTIVE +TITLE\n/);
    expect(stdout).toMatch(/ succeeded +reader +2 /);
    expect((await cadre(project, ["conversations", "--search", "AND BACK"])).stdout).toBe(stdout);
    const none = await cadre(project, ["conversations", "--search", "mountains"]);
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: "No conversations.\n" });
  });

  it("gives titles, archives, and deletes after a question or with --yes", async () => {
    const project = createFixture();
    const { runId } = await run(project, "reader", "one");
    const titled = await cadre(project, ["conversations", "title", "last", "My", "\u001b[31mtrip"]);
    expect(titled).toMatchObject({ code: 0, stdout: expect.stringMatching(/: My .*trip\n$/) });
    expect(titled.stdout).not.toContain("\u001b");
    expect((await cadre(project, ["conversations", "title", "last"])).stdout).toContain(": one\n");
    const empty = await cadre(project, ["conversations", "title", "last", ""]);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/Leave it out to use/) });
    await cadre(project, ["conversations", "archive", "last"]);
    expect((await cadre(project, ["conversations"])).stderr).toContain("No conversations.");
    expect((await cadre(project, ["conversations", "--archived"])).stdout).toContain(runId);
    await cadre(project, ["conversations", "archive", "last", "--undo"]);
    const asked = await cadre(project, ["conversations", "delete", "last"]);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("Expected --yes") });
    const deleted = await cadre(project, ["conversations", "delete", "last", "--yes", "--json"]);
    expect(JSON.parse(deleted.stdout)).toMatchObject({ id: runId, deleted: true, runs: 1 });
    expect((await cadre(project, ["runs"])).stdout).toBe("");
    expect((await cadre(project, ["conversations", "delete", "last", "--yes"])).code).not.toBe(0);
  });
});
