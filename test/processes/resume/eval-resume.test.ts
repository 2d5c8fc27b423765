import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EvalReport, Run } from "../../../src/host.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const hanging =
  "scripts: [{ when: { task: two }, reply: { fault: { kind: hang } } }, { reply: { text: ok } }]";
const replying = "scripts: [{ reply: { text: ok } }]";
const evals = "cases: [{ name: a, task: one }, { name: b, task: two }, { name: c, task: three }]";
const words = ["eval", "evals.yaml", "--concurrency", "1"];

/** Begins an eval whose second trial hangs, as `hanging` does. Returns its id after the first trial, which prints `first`. */
async function begin(
  project: Project,
  options: readonly string[] = [],
  first = "1/3 pass a #1",
): Promise<{ id: string; end: (signal: NodeJS.Signals) => Promise<number | null> }> {
  const { child, printed, ended } = start(project, [...words, ...options]);
  let stderr = "";
  child.stderr?.on("data", (text: string) => (stderr += text));
  await printed(first);
  while ((await runsOf(project)).length < 2)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    id: /eval (\S+):/.exec(stderr)?.[1] ?? "",
    async end(signal) {
      child.kill(signal);
      return (await ended).code;
    },
  };
}

async function runsOf(project: Project): Promise<Run[]> {
  const { stdout } = await cadre(project, ["runs", "--all", "--json"]);
  return (JSON.parse(stdout) as { runs: Run[] }).runs;
}

describe("an eval that ended early", () => {
  it.each([
    ["SIGKILL", null],
    ["SIGINT", 130],
  ] as const)(
    "goes on after %s with --resume, and executes nothing again",
    async (signal, exit) => {
      const project = createProject({ "script.yaml": hanging, "evals.yaml": evals });
      const { id, end } = await begin(project);
      expect(await end(signal)).toBe(exit);
      project.write("script.yaml", replying);
      const { code, stdout, stderr } = await cadre(project, [...words, "--resume", id, "--json"]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining(`eval ${id}: 3 trials`),
      });
      const report = JSON.parse(stdout) as EvalReport;
      expect(report).toMatchObject({ id, outcome: "pass", isInterrupted: false });
      const runs = await runsOf(project);
      const tasks = runs.map(({ task }) => task).toSorted();
      // A killed run continues; a cancelled one starts again.
      const expected =
        signal === "SIGKILL" ? ["one", "three", "two"] : ["one", "three", "two", "two"];
      expect(tasks).toEqual(expected);
      const first = runs.find(({ task }) => task === "one");
      expect(report.trials[0]?.record?.runId).toBe(first?.id);
    },
  );

  it("goes on with its files, its settings and its model of a file, which are not named again", async () => {
    const project = createProject({ "script.yaml": hanging, "evals.yaml": evals });
    const { id, end } = await begin(project);
    await end("SIGKILL");
    project.write("script.yaml", replying);
    const { code, stderr } = await cadre(project, ["eval", "--resume", "last"]);
    expect(stderr).toContain(`eval ${id}: 3 trials`);
    expect(code).toBe(0);
  });

  it.each([
    ["its user names the folder again", ["--record", "kept"], []],
    ["its project is trusted", [], ["trust"]],
  ])("goes on recording when %s", async (_, options, trust) => {
    const project = createProject({ "script.yaml": hanging, "evals.yaml": evals });
    const { id, end } = await begin(project, ["--record", "kept"]);
    await end("SIGKILL");
    project.write("script.yaml", replying);
    const resume = ["eval", "--resume", "last"];
    const refused = await cadre(project, resume);
    expect(refused.code).toBe(2);
    const kept = join(project.path, "kept");
    expect(refused.stderr).toContain(`The eval ${id} writes its recordings to ${kept}`);
    expect(refused.stderr).toContain(`Add \`--record ${kept}\` if it may`);
    if (trust.length > 0) await cadre(project, trust);
    const { code, stderr } = await cadre(project, [...resume, ...options]);
    expect(stderr).toContain(`eval ${id}: 3 trials`);
    expect(code).toBe(0);
    rmSync(join(project.path, "script.yaml"));
    expect((await cadre(project, [...words, "--replay", "kept"])).code).toBe(0);
  });

  it("refuses other recordings than its own", async () => {
    const project = createProject({ "script.yaml": hanging, "evals.yaml": evals });
    const { id, end } = await begin(project, ["--record", "kept"]);
    await end("SIGKILL");
    const { code, stderr } = await cadre(project, ["eval", "--resume", id, "--record", "other"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Resume it with \`--record ${join(project.path, "kept")}\``);
    expect(existsSync(join(project.path, "other"))).toBe(false);
  });

  it.each(["SIGKILL", "SIGINT"] as const)(
    "is refused once when its model cannot be used any more, after %s in its last trial",
    async (signal) => {
      const cases = "cases: [{ name: a, task: one }, { name: b, task: two }]";
      const project = createProject({ "script.yaml": hanging, "evals.yaml": cases });
      const { id, end } = await begin(project, [], "1/2 pass a #1");
      await end(signal);
      rmSync(join(project.path, "script.yaml"));
      const refused = await cadre(project, ["eval", "--resume", id]);
      expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("script.yaml cannot be used");
      project.write("script.yaml", replying);
      expect((await cadre(project, ["eval", "--resume", id])).code).toBe(0);
    },
  );

  it("goes on with several models of files only when its user names them again", async () => {
    const project = createProject({
      "script.yaml": replying,
      "a.yaml": hanging,
      "b.yaml": replying,
      "evals.yaml": evals,
    });
    const models = ["--model", "scripted:a.yaml", "--model", "scripted:b.yaml"];
    const { id, end } = await begin(project, models, "1/6 pass a #1");
    await end("SIGKILL");
    project.write("a.yaml", replying);
    const refused = await cadre(project, ["eval", "--resume", id]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`Add \`${models.join(" ")}\` if it may`);
    const { code, stdout } = await cadre(project, ["eval", "--resume", id, ...models]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining("error") });
  });

  it("goes on when the names of its cases look like labels of an earlier version", async () => {
    const cases =
      "cases: [{ name: 'eval a long answer: a', task: one }, { name: 'eval a long answer: b', task: two }]";
    const project = createProject({ "script.yaml": hanging, "evals.yaml": cases });
    const { id, end } = await begin(project, [], "1/2 pass eval");
    await end("SIGKILL");
    project.write("script.yaml", replying);
    expect((await cadre(project, ["eval", "--resume", id])).code).toBe(0);
    expect((await runsOf(project)).map(({ task }) => task).toSorted()).toEqual(["one", "two"]);
  });

  it("needs a file or an eval to resume, and creates the folder of a JUnit report", async () => {
    const project = createProject({ "script.yaml": replying, "evals.yaml": evals });
    const { code, stderr } = await cadre(project, ["eval"]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Expected eval files, such as evals.yaml, or --resume ID"),
    });
    const report = ["--junit", "reports/new/eval.xml"];
    expect((await cadre(project, [...words, ...report])).code).toBe(0);
    expect(existsSync(join(project.path, "reports/new/eval.xml"))).toBe(true);
    const impossible = await cadre(project, [...words, "--junit", "evals.yaml/report.xml"]);
    expect(impossible.code).toBe(2);
    expect(impossible.stderr).toContain(
      "Expected a file that can be written after --junit; a folder in the path evals.yaml/report.xml is a file.",
    );
    const folder = await cadre(project, [...words, "--junit", "reports"]);
    expect(folder.stderr).toContain("after --junit; reports is a folder.");
    expect(impossible.stderr).not.toContain("trials");
  });
});
