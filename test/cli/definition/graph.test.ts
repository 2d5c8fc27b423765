import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject } from "../command-line.ts";

const script = `scripts:
  - when: { task: break }
    reply: { fault: { kind: status, status: 400 } }
  - reply: { text: "did {{task}}" }
`;
const graph = `runs:
  - { label: look, agent: reader, task: look }
  - { label: build, agent: reader, task: TASK, depends_on: look }
`;

function project(task: string) {
  return createProject({
    "script.yaml": script,
    "graph.yaml": graph.replace("TASK", task),
    ".cadre/agents/reader.md": agentFile("reader"),
  });
}

describe.concurrent("cadre run graph.yaml", () => {
  it("executes the graph, shows each run, and writes all results", async () => {
    const { code, stdout, stderr } = await cadre(project("build"), ["run", "graph.yaml"]);
    expect(stdout).toBe(
      "2 of 2 runs succeeded.\n\n## look: succeeded\n\ndid look\n\n## build: succeeded\n\ndid build\n",
    );
    expect(stderr).toMatch(/graph started: Run the graph graph\.yaml: look, build/);
    expect(code).toBe(0);
  });

  it("writes one result object with --json, and exits with 1 when a run failed", async () => {
    const { code, stdout } = await cadre(project("break"), ["run", "graph.yaml", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "failed",
      failure: { details: { runs: { look: { text: "did look" }, build: { status: "failed" } } } },
    });
    expect(code).toBe(1);
  });

  it("accepts a graph in JSON, whatever its first key is", async () => {
    const fixture = project("build");
    const runs = [{ label: "one", agent: "reader", task: "one" }];
    fixture.write("graph.json", JSON.stringify({ timeoutSeconds: 60, runs }, null, 2));
    const { stdout } = await cadre(fixture, ["run", "graph.json"]);
    expect(stdout).toContain("## one: succeeded");
  });

  it("starts nothing and exits with 2 at an error, with its place", async () => {
    const fixture = project("build");
    fixture.write("graph.yaml", `${graph}  - { label: look, task: x, dependsOn: nobody }\n`);
    const { code, stdout, stderr } = await cadre(fixture, ["run", "graph.yaml"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/graph\.yaml:4:7 error graph-invalid: The label look is used twice/);
    expect(stderr).toMatch(/graph\.yaml:4:29 error graph-invalid: There is no run nobody/);
    const check = await cadre(fixture, ["check", "graph.yaml"]);
    expect([check.code, check.stdout]).toEqual([
      1,
      expect.stringMatching(/\n2 errors, 0 warnings\n$/),
    ]);
    const more = await cadre(fixture, ["run", "graph.yaml", "and", "more"]);
    expect([more.code, more.stderr]).toEqual([
      2,
      expect.stringContaining("Expected no words after"),
    ]);
  });
});
