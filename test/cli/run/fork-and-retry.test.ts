import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../command-line.ts";

/** The agent `flaky` fails until its file changes. `kept` may be answered from the cache. */
function createFlakyProject(): Project {
  const agent = (name: string, more = ""): string =>
    `---\nname: ${name}\ndescription: Does ${name} work.\n${more}---\nYou are ${name}.\n`;
  return createProject({
    "script.yaml": `scripts:
  - when: { agent: flaky }
    reply: { fault: { kind: status, status: 400 } }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: flaky, prompt: look } }] }
  - reply: { text: "answer to {{task}}: {{last}}" }
`,
    ".cadre/agents/flaky.md": agent("flaky"),
    ".cadre/agents/kept.md": agent("kept", "cache: true\n"),
  });
}

/** The script without the rule that makes `flaky` fail. */
function repair(project: Project): void {
  project.write("script.yaml", `scripts:\n  - reply: { text: "answer to {{task}}: {{last}}" }\n`);
}

interface Tree {
  runs: {
    id: string;
    status: string;
    agent: string;
    turns: number;
    lineage?: unknown;
    cachedFrom?: string;
  }[];
}

async function treeOf(project: Project, id: string): Promise<Tree> {
  return JSON.parse((await cadre(project, ["tree", id, "--json"])).stdout) as Tree;
}

describe.concurrent("runs created from others", () => {
  it("are forks, from a given step and with another task, and name their origin", async () => {
    const project = createFlakyProject();
    await cadre(project, ["run", "delegate", "this"]);
    const { runs } = await treeOf(project, "last");
    const [root] = runs;
    const { code, stdout } = await cadre(project, [
      "fork",
      "last",
      "--at",
      "1",
      "--task",
      "and say",
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^answer to delegate this: /);
    expect(stdout).toContain("and say");
    const fork = await treeOf(project, "last");
    expect(fork.runs[0]?.lineage).toEqual({ kind: "fork", runId: root?.id, step: "model/1" });
    const source = root?.id.split("-")[1] ?? "";
    const tree = await cadre(project, ["tree", "last"]);
    expect(tree.stdout).toContain(`[fork of ${source} at model/1]`);
    const shown = await cadre(project, ["show", "last"]);
    expect(shown.stdout).toMatch(new RegExp(`made as +fork of ${source} at model/1`));
    const unknown = await cadre(project, ["fork", "last", "--at", "77"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("has no step 77. It has: ");
    const needless = await cadre(project, ["fork", "last"]);
    expect(needless.code).toBe(2);
    expect(needless.stderr).toMatch(/a fork from there would do nothing. Give the fork a task/);
  });

  it("are retries, with the exit code of the run", async () => {
    const project = createFlakyProject();
    expect((await cadre(project, ["run", "flaky", "try"])).code).toBe(1);
    const failed = (await treeOf(project, "last")).runs[0]?.id ?? "";
    expect((await cadre(project, ["retry", "last"])).code).toBe(1);
    repair(project);
    const again = await cadre(project, ["retry", failed, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: "succeeded" });
    expect(again.code).toBe(0);
    const refused = await cadre(project, ["retry", "last"]);
    expect(refused.stderr).toContain("cannot be retried: it succeeded");
    expect(refused.code).toBe(2);
  });
});

describe.concurrent("cadre cache", () => {
  it("lists cached results and their use, and deletes them", async () => {
    const project = createFlakyProject();
    await cadre(project, ["run", "kept", "question"]);
    const { id } = (await treeOf(project, "last")).runs[0] ?? { id: "" };
    const { stdout } = await cadre(project, ["run", "kept", "question"]);
    expect(stdout).toBe("answer to question: question\n");
    const hit = await treeOf(project, "last");
    const took = { runs: 1, turns: 0, toolCalls: 0, usage: { inputTokens: 0 }, cost: 0 };
    expect(hit.runs[0]).toMatchObject({ cachedFrom: id, status: "succeeded", ...took });
    expect((await cadre(project, ["tree", "last"])).stdout).toContain("[cached]");
    const list = await cadre(project, ["cache", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject({
      entries: [{ runId: id, agent: "kept", task: "question", hits: 1 }],
    });
    expect((await cadre(project, ["cache", "--clear"])).stdout).toBe("Deleted 1 result.\n");
    expect((await cadre(project, ["cache"])).stderr).toContain("No cached results.");
    await cadre(project, ["run", "kept", "question"]);
    expect((await treeOf(project, "last")).runs[0]).not.toHaveProperty("cachedFrom");
  });
});
