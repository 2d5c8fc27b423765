import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EvalReport } from "../../../src/host.ts";
import { cadre, createProject, type Ended, root } from "../command-line.ts";
import { createEvalProject } from "./eval-project.ts";

const folder = join(root, "examples/12-eval");

async function evaluate(
  evals: string,
  words: readonly string[] = [],
): Promise<Ended & { report: EvalReport }> {
  const ended = await cadre(createEvalProject(evals), ["eval", "evals.yaml", "--json", ...words]);
  return { ...ended, report: JSON.parse(ended.stdout || "null") as EvalReport };
}

/** Returns the reasons of the only trial. */
async function reasonsOf(
  fields: string,
  words: readonly string[] = [],
): Promise<readonly string[]> {
  const { report } = await evaluate(`cases: [{ name: one, ${fields} }]\n`, words);
  return report.trials[0]?.reasons ?? ["no trial"];
}

describe.concurrent("cadre eval", () => {
  it("the example works without a model as its README says, recorded and replayed", async () => {
    const fixture = createProject();
    cpSync(folder, fixture.path, { recursive: true });
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const lines = [...readme.matchAll(/^ {4}cadre (.*)$/gm)].map(([, line = ""]) =>
      line.split(" "),
    );
    const [record = [], replay = []] = lines;
    const first = await cadre(fixture, record);
    expect(first.code).toBe(1);
    expect(first.stdout).toContain("fail     0 of 2");
    expect(first.stdout).toContain(
      "EXPECTED \\ CHOSEN  editor  none  translator\ntranslator         2       0     2\n",
    );
    expect(first.stdout).toContain(
      "editor is chosen for tasks of translator 2 of 4 times. Their descriptions share: rewrites, text.",
    );
    // No model can be asked any more.
    rmSync(join(fixture.path, "script.yaml"));
    const second = await cadre(fixture, replay);
    expect(second.code).toBe(1);
    const withoutTimes = (text: string): string =>
      text.replaceAll(/ \d+(\.\d)?s|\(cadre show \S+\)/g, "");
    expect(withoutTimes(second.stdout).replaceAll(/ +/g, " ")).toBe(
      withoutTimes(first.stdout).replaceAll(/ +/g, " "),
    );
    const report = readFileSync(join(fixture.path, "report.xml"), "utf8");
    expect(report).toContain('<testsuites name="cadre eval" tests="8" failures="2" errors="0"');
    expect(report).toContain('<failure message="Expected a delegation to translator;');
  });

  it("names the model of each trial while it executes several", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: write }]");
    const first = ["eval", "evals.yaml"];
    expect((await cadre(fixture, first)).stderr).toMatch(/^eval \S+: 1 trial\n1\/1 pass one #1\n$/);
    fixture.write("other.yaml", "scripts: [{ reply: { text: ok } }]");
    const models = ["scripted:script.yaml", "scripted:other.yaml"];
    const words = [...first, ...models.flatMap((model) => ["--model", model]), "--trust"];
    const { stderr } = await cadre(fixture, words);
    for (const model of models) expect(stderr).toContain(`one #1 · ${model}\n`);
  });

  it("reports a request that no recording has as an error, and asks no model", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: write }]");
    const eval_ = ["eval", "evals.yaml"];
    expect(await cadre(fixture, [...eval_, "--record", "kept"])).toMatchObject({ code: 0 });
    fixture.write("evals.yaml", "cases: [{ name: one, task: write more }]");
    const { code, stdout } = await cadre(fixture, [...eval_, "--replay", "kept"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^OUTCOME.*\nerror +0 of 0 \+1 error/);
    expect(stdout).toMatch(/error one #1.*\n {2}model-error: .*\n[^]*write more/);
  });

  it("executes a case again and again, with several models, up to the part that must pass", async () => {
    const fixture = createEvalProject("pass: 0.5\ncases: [{ name: one, task: write }]", {
      "refusing.yaml": "scripts: [{ reply: { fault: { kind: status, status: 401 } } }]",
    });
    const models = ["--model", "scripted:script.yaml", "--model", "scripted:refusing.yaml"];
    const words = ["eval", "evals.yaml", "--json", "--repeat", "6", ...models];
    const { code, stdout } = await cadre(fixture, words);
    const report = JSON.parse(stdout) as EvalReport;
    expect(report.cases).toMatchObject([
      {
        model: "scripted:script.yaml",
        outcome: "pass",
        passed: 6,
        interval: [expect.closeTo(0.61, 2), expect.closeTo(1, 5)],
      },
      { model: "scripted:refusing.yaml", outcome: "error", errors: 6, interval: null },
    ]);
    expect(code).toBe(1);
  });

  it("stops delegations, with the given results", async () => {
    const { report } = await evaluate(
      `delegation: stop
cases:
  - { name: one, task: delegate, results: { helper: tea is ready }, expect: { agents: [{ agent: helper, task: { matches: "^help" } }] } }
`,
    );
    expect(report).toMatchObject({
      outcome: "pass",
      confusion: { helper: { helper: 1 } },
      trials: [{ record: { delegations: [{ agent: "helper", task: "help with tea" }], turns: 2 } }],
    });
  });

  it("otherwise executes sub-agents and counts their usage", async () => {
    const { report } = await evaluate(
      "cases: [{ name: one, task: delegate, expect: { agents: [helper] } }]",
    );
    expect(report).toMatchObject({ outcome: "pass", trials: [{ record: { turns: 3 } }] });
  });

  it.each([
    [
      "task: write, expect: { agents: [helper] }",
      "Expected a delegation to helper; delegated to: none.",
    ],
    ["task: delegate, expect: { agents: none }", "Expected no delegation; delegated to: helper."],
    ["task: delegate, forbid: { agents: [helper] }", "Expected no delegation to helper."],
    ["task: delegate, forbid: { tools: [Agent] }", "Expected no call of Agent."],
    ["task: write, expect: { tools: [Read] }", "Expected a call of Read; called: none."],
    [
      "task: write, expect: { output: { contains: ['42', tea] } }",
      'Expected the output to contain "tea".',
    ],
    ["task: write, expect: { output: { matches: ^tea } }", "Expected the output to match /^tea/."],
    [
      "task: write, expect: { schema: { required: [total] } }",
      "The output does not match the schema:",
    ],
    ["task: go, expect: { schema: { type: object } }", "the text is not JSON"],
    ["task: write, expect: { max: { tokens: 5 } }", "Expected at most 5 tokens; used "],
    [
      "task: delegate, expect: { agents: [{ agent: helper, task: { contains: coffee } }] }",
      'its tasks: "help with tea".',
    ],
    ["task: go, checks: [{ judge: It is polite. }]", ""],
    ["task: go, checks: [{ judge: It sings. }]", "The judge refuses (It sings.): It says nothing."],
  ])("grades %s", async (fields, reason) => {
    const reasons = await reasonsOf(fields);
    if (reason === "") expect(reasons).toEqual([]);
    else expect(reasons.join("\n")).toContain(reason);
  });

  it("executes commands of checks in the folder of the trial, which has its files, if the folder is trusted", async () => {
    const fields =
      "task: write, files: { a.txt: tea }, checks: [{ command: 'grep tea a.txt && grep -q \"sum\" && pwd >&2 && exit 3' }]";
    const untrusted = await evaluate(`cases: [{ name: one, ${fields} }]\n`);
    expect(untrusted).toMatchObject({ code: 2, stdout: "" });
    expect(untrusted.stderr).toMatch(/would use the command `grep tea.*not trusted.*--trust/);
    const [reason] = await reasonsOf(fields, ["--trust"]);
    expect(reason).toMatch(/^The check `grep .*` ended with exit code 3\. \S*evals\S*$/s);
  });

  it("gives a single trial the whole budget", async () => {
    const evals = "cases: [{ name: one, task: delegate, expect: { agents: [helper] } }]";
    const { report, code } = await evaluate(evals, ["--budget", "tokens=20000"]);
    expect(report.trials[0]?.reasons).toEqual([]);
    expect(code).toBe(0);
  });

  it("ends trials for which no budget is left as errors", async () => {
    const { report, code } = await evaluate("cases: [{ name: one, task: write }]", [
      "--repeat",
      "3",
      "--concurrency",
      "1",
      "--budget",
      "toolCalls=1",
    ]);
    expect(code).toBe(0);
    expect(report.outcome).toBe("pass");
    const none = await evaluate("cases: [{ name: one, task: delegate }]", [
      "--repeat",
      "2",
      "--concurrency",
      "1",
      "--budget",
      "toolCalls=1",
    ]);
    expect(none.code).toBe(1);
    expect(none.report.trials.map(({ outcome }) => outcome)).toEqual(["pass", "error"]);
    expect(none.report.trials[1]?.reasons[0]).toMatch(/budget of the eval is used up.*--budget/);
  });

  it("refuses recordings of agents that name their own model", async () => {
    const fixture = createEvalProject("cases: [{ name: one, task: delegate }]", {
      ".cadre/agents/helper.md":
        "---\nname: helper\ndescription: helps\nmodel: anthropic:haiku\n---\nYou help.\n",
    });
    const { code, stderr } = await cadre(fixture, ["eval", "evals.yaml", "--record", "kept"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /these name their own: helper \(anthropic:haiku\)\. Use `delegation: stop`/,
    );
    expect(existsSync(join(fixture.path, "kept"))).toBe(false);
  });

  it.each([
    ["cases: []", "Expected `cases`: a list of at least one case"],
    ["cases: [{ name: one }]", "evals.yaml:1:9 error eval-invalid: task:"],
    ["cases: [{ name: one, taks: x, task: y }]", "taks"],
    [
      "cases: [{ name: one, task: y, expect: { agents: [helpr] } }]",
      "There is no agent helpr. Did you mean `helper`?",
    ],
    ["cases: [{ name: one, task: y, agent: nobody }]", "There is no agent nobody."],
    ["cases: [{ name: one, task: y }, { name: one, task: z }]", "The name one is used twice"],
    [
      "cases: [{ name: one, task: y, expect: { output: { matches: '(' } } }]",
      "a regular expression is expected",
    ],
    [
      "cases: [{ name: one, task: y, files: { ../a: x } }]",
      "Expected the path of a file in the workspace; got ../a.",
    ],
    ["cases: [{ name: one, task: y, workspace: nowhere }]", "Expected a folder to copy at"],
    [
      "cases: [{ name: one, task: y, checks: [{ comand: x }] }]",
      "a check with `command` or with `judge` is expected",
    ],
    ["cases: [{ name: one", "evals.yaml:"],
    ["repeat: 0\ncases: [{ name: one, task: y }]", "evals.yaml:1:1 error eval-invalid: repeat:"],
  ])("refuses the file %j before anything starts", async (evals, problem) => {
    const fixture = createEvalProject(evals);
    const { code, stdout, stderr } = await cadre(fixture, ["eval", "evals.yaml"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(await cadre(fixture, ["check", "evals.yaml"])).toMatchObject({ code: 1 });
    expect((await cadre(fixture, ["runs", "--json"])).stdout).toContain('"runs": []');
  });

  it.each([
    [["eval", "no.yaml"], "no.yaml"],
    [["eval", "no*.yaml"], "nothing matches no*.yaml"],
    [["eval", "."], "Expected eval files; . is a folder. Name its files, such as *.yaml."],
    [
      ["eval", "evals.yaml", "--filter", "two"],
      "Expected --filter to match a case; got two. Cases: one.",
    ],
    [
      ["eval", "evals.yaml", "--record", "a", "--replay", "b"],
      "Expected --record or --replay; got both.",
    ],
    [
      ["eval", "evals.yaml", "--resume", "mine"],
      'Expected the id of an eval of this project; got "mine", which none has.',
    ],
    [["eval", "evals.yaml", "--repeat", "x"], "--repeat"],
  ])("refuses %j", async (words, problem) => {
    const { code, stderr } = await cadre(
      createEvalProject("cases: [{ name: one, task: write }]"),
      words,
    );
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});
