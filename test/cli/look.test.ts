import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "./command-line.ts";

const script = `scripts:
  - when: { task: delegate, turn: 0 }
    reply:
      text: "I \\e[31mdelegate."
      calls:
        - { tool: Agent, input: { type: reader, prompt: look here } }
        - { tool: Agent, input: { type: reader, prompt: break down } }
  - when: { task: break }
    reply: { fault: { kind: status, status: 400 } }
  - reply: { text: "answer to {{task}}" }
`;

async function ranOnce(): Promise<Project> {
  const project = createProject({
    "script.yaml": script,
    ".cadre/agents/reader.md": agentFile("reader"),
  });
  const { code } = await cadre(project, ["run", "delegate", "this", "--label", "first"]);
  expect(code).toBe(0);
  return project;
}

describe.concurrent("looking at runs", () => {
  it("lists roots, or all of them, filtered, as a table and as JSON", async () => {
    const project = await ranOnce();
    const table = await cadre(project, ["runs"]);
    expect(table.stdout).toMatch(/^RUN +STATUS +AGENT/);
    expect(table.stdout).toMatch(/\n\S+ +succeeded +main \(first\) .* delegate this\n$/);
    const all = JSON.parse((await cadre(project, ["runs", "--all", "--json"])).stdout) as {
      runs: { id: string }[];
    };
    expect(all.runs).toHaveLength(3);
    const failed = await cadre(project, ["runs", "--all", "--status", "failed", "--json"]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ runs: [{ task: "break down" }] });
    const none = await cadre(project, ["runs", "--agent", "nobody"]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
    expect((await cadre(project, ["runs", "--status", "done"])).code).toBe(2);
  });

  it("works despite an error in a configuration file, and reports it; nothing is started", async () => {
    const project = await ranOnce();
    project.write(".cadre/config.yaml", "modell: sonnet\n");
    for (const words of [
      ["runs"],
      ["tree", "last"],
      ["show", "last"],
      ["events", "last"],
      ["cancel", "last"],
    ]) {
      const { code, stderr } = await cadre(project, words);
      expect(code, words.join(" ")).toBe(0);
      expect(stderr).toContain("`modell` is not a known setting");
    }
    expect(await cadre(project, ["run", "go on now"])).toMatchObject({ code: 2 });
  });

  it("warns once about a misspelt variable", async () => {
    const project = await ranOnce();
    project.environment["CADRE_MODLE"] = "sonnet";
    for (const words of [["runs"], ["run", "go on now"]]) {
      const { code, stderr } = await cadre(project, words);
      expect(code).toBe(0);
      expect(
        stderr.match(/CADRE_MODLE, so it has no effect. Did you mean CADRE_MODEL\?/g),
      ).toHaveLength(1);
    }
  });

  it("shows a run step by step, by its id, the part after its dash, or `last`", async () => {
    const project = await ranOnce();
    const { stdout } = await cadre(project, ["show", "last"]);
    expect(stdout).toContain("TASK\n   delegate this\n");
    expect(stdout).toContain("   I delegate.\n   calls Agent");
    expect(stdout).toContain("-> Agent reader: look here [tool/1/0]");
    expect(stdout).toMatch(/<- ok \[tool\/1\/0, .*\]\n {3}answer to look here/);
    expect(stdout).toMatch(/<- failed \[tool\/1\/1/);
    expect(stdout).toContain("RESULT\n   answer to delegate this\n");
    const json = JSON.parse((await cadre(project, ["show", "last", "--json"])).stdout) as {
      run: { id: string };
      events: unknown[];
    };
    expect(json).toMatchObject({ spec: { label: "first" }, run: { status: "succeeded" } });
    const short = json.run.id.split("-").at(-1) ?? "";
    const byShort = await cadre(project, ["show", short, "--json"]);
    expect(JSON.parse(byShort.stdout)).toEqual(json);
    const unknown = await cadre(project, ["show", "nothing"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("There is no run nothing.");
  });

  it("draws the tree with totals, and lists failed children in the summary", async () => {
    const project = await ranOnce();
    const { stdout } = await cadre(project, ["tree", "last"]);
    expect(stdout).toMatch(/^✓ main \(first\) .* \(3 runs 3 turns .* tok .*s\)\n/);
    expect(stdout).toMatch(
      /\n├─ ✓ reader \(look here\) {2}answer to look here .*\n└─ ✗ reader \(break down\) {2}failed: /,
    );
    expect(stdout).toMatch(/\n3 runs, 3 turns, .* tokens in, .* out, cost .*\n$/);
  });

  it("names the instruction files of a run, with their sizes", async () => {
    const project = await ranOnce();
    project.write("AGENTS.md", "Use tabs.");
    await cadre(project, ["run", "delegate", "again"]);
    const { stdout } = await cadre(project, ["show", "last"]);
    expect(stdout).toMatch(/^INSTRUCTIONS, with \/\S+\/AGENTS\.md \(9 B\)\n {3}\S/m);
    expect(stdout).toContain("\n   Use tabs.\n");
  });

  it("shows the todo list of a run as the agent left it, and each change in the progress", async () => {
    const project = createProject({
      "script.yaml": `scripts:
  - when: { turn: 0 }
    reply: { calls: [{ tool: TodoWrite, input: { todos: [{ content: Look, status: in_progress, activeForm: Looking }, { content: Write, status: pending }] } }] }
  - when: { turn: 1 }
    reply: { calls: [{ tool: TodoWrite, input: { todos: [{ content: Look, status: completed }, { content: Write, status: pending }] } }] }
  - reply: { text: left early }
`,
    });
    const { stderr } = await cadre(project, ["run", "go"]);
    expect(stderr).toMatch(/s {2}main has todos: 0 of 2 done, now: Looking\n/);
    expect(stderr).toMatch(/s {2}main has todos: 1 of 2 done\n/);
    const { stdout } = await cadre(project, ["show", "last"]);
    expect(stdout).toContain("-> TodoWrite 0 of 2 done, now: Looking [tool/1/0]\n");
    expect(stdout).toContain("\n\nTODOS, 1 of 2 done\n   [x] Look\n   [ ] Write\n\nRESULT\n");
  });

  it("shows the figures of a run with its descendants, and its own figures separately", async () => {
    const project = await ranOnce();
    const took = { runs: 3, turns: 3, toolCalls: 2, own: { turns: 2, toolCalls: 2 } };
    const leaf = { runs: 1, turns: 1, own: { turns: 1 } };
    const read = async (...words: string[]): Promise<unknown> =>
      JSON.parse((await cadre(project, [...words, "--json"])).stdout);
    expect(await read("runs")).toMatchObject({ runs: [took] });
    expect(await read("show", "last")).toMatchObject({ run: { ...took, result: took } });
    expect(await read("tree", "last")).toMatchObject({ runs: [took, leaf, { runs: 1 }] });
    const { stdout } = await cadre(project, ["show", "last"]);
    expect(stdout).toMatch(
      /\nruns +3: .*\nturns +3\ntokens .*\ncost .*\nown +of this run alone: 2 turns, .* in,/,
    );
    const list = await cadre(project, ["runs", "--all"]);
    expect(list.stdout).toMatch(/TIME +RUNS +TOKENS +COST/);
    expect(list.stdout).toMatch(/succeeded +main \(first\) .*s +3 +\S+ /);
    expect(list.stdout).toMatch(/succeeded +reader .*s +1 +\S+ /);
  });

  it("prints the journal as lines and as NDJSON", async () => {
    const project = await ranOnce();
    const { stdout } = await cadre(project, ["events", "last"]);
    expect(stdout).toMatch(/^ {3}1 {2}\S+ \S+ {2}run-created +main: delegate this\n/);
    const json = await cadre(project, ["events", "last", "--json"]);
    const types = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types[0]).toBe("run-created");
    expect(types.at(-1)).toBe("run-finished");
    expect(types).toHaveLength(stdout.trimEnd().split("\n").length);
  });

  it("reports that an ended run cannot be cancelled, and prunes old runs", async () => {
    const project = await ranOnce();
    const cancel = await cadre(project, ["cancel", "last"]);
    expect(cancel.stdout).toMatch(/had ended before: succeeded/);
    expect((await cadre(project, ["resume"])).stderr).toContain("Nothing to resume");
    expect((await cadre(project, ["prune"])).stdout).toMatch(/^Deleted 0 runs; freed \d+ B\.\n$/);
    expect((await cadre(project, ["prune", "--older-than", "old"])).code).toBe(2);
    const pruned = await cadre(project, ["prune", "--older-than", "0s", "--json"]);
    expect(JSON.parse(pruned.stdout)).toEqual({
      pruned: 3,
      freedBytes: expect.any(Number) as number,
      keptWorktrees: [],
      olderThanMs: 0,
    });
    expect((await cadre(project, ["runs"])).stderr).toContain("No runs.");
  });
});
