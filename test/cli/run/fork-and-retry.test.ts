import { describe, expect, it } from "vitest";
import { cadre, createProject, type Project } from "../command-line.ts";
import { start } from "../start-command.ts";

/** The agent `flaky` fails until its file changes. `kept` may be answered from the cache. */
function createFlakyProject(): Project {
  const agent = (name: string, more = ""): string =>
    `---\nname: ${name}\ndescription: Does ${name} work.\n${more}---\nYou are ${name}.\n`;
  return createProject({
    "script.yaml": `scripts:
  - when: { agent: flaky }
    reply: { fault: { kind: status, status: 400 } }
  - when: { task: hang, turn: 0 }
    reply: { text: "waiting", calls: [{ tool: Bash, input: { command: "touch begun; while test ! -e go; do sleep 0.05; done" } }] }
  - when: { task: hang }
    reply: { text: "heard: {{last}}" }
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

describe.concurrent("cadre send", () => {
  it("reaches a run of another process, and confirms that with --wait", async () => {
    const project = createFlakyProject();
    const run = start(project, ["run", "hang", "--mode", "auto"]);
    await run.printed("main started");
    const words = ["send", "last", "look at auth first", "--wait", "--json"];
    const sending = start(project, words).ended;
    // Not before the run exists: it continues when its command ends.
    const isQueued = async (): Promise<boolean> =>
      (await cadre(project, ["events", "last", "--json"])).stdout.includes("message-queued");
    while (!(await isQueued()));
    project.write("go", "");
    expect(JSON.parse((await sending).stdout)).toMatchObject({ delivered: true });
    const { stdout } = await run.ended;
    expect(stdout).toContain("[Message from user]:\nlook at auth first");
    const late = await cadre(project, ["send", "last", "too late"]);
    expect(late.code).toBe(1);
    expect(late.stdout).toMatch(
      /has ended \(succeeded\)\. Continue it: cadre run --continue=\S+ TEXT/,
    );
  });
});

describe.concurrent("cadre raise", () => {
  it("gives a run of another process more time and budget, which cadre show names", async () => {
    const project = createFlakyProject();
    const words = ["run", "hang", "--mode", "auto", "--budget", "toolCalls=9", "--timeout", "50"];
    const run = start(project, words);
    await run.printed("main started");
    const raised = await cadre(project, [
      "raise",
      "last",
      "--timeout",
      "7",
      "--budget",
      "toolCalls=3",
    ]);
    expect(raised.stdout).toMatch(
      /^Raised the limits of run \S+: toolCalls \+3, timeout \+7 s\.\n$/,
    );
    const json = await cadre(project, ["raise", "last", "--timeout", "1", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ raise: { timeoutSeconds: 1 } });
    const report = async (): Promise<string> => (await cadre(project, ["show", "last"])).stdout;
    while (!(await report()).includes("limits raised by user: timeout +1 s"));
    expect(await report()).toContain("limits raised by user: toolCalls +3, timeout +7 s");
    expect(await report()).toMatch(/timeout +58s/);
    expect(await report()).toMatch(/budget +toolCalls=12/);
    expect((await cadre(project, ["raise", "last"])).stderr).toContain(
      "Expected --timeout or --budget",
    );
    project.write("go", "");
    await run.ended;
    const late = await cadre(project, ["raise", "last", "--timeout", "7"]);
    expect(late.stderr).toContain("it has ended (succeeded)");
    expect(late.code).toBe(2);
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
