import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ApiClient, createClient } from "../../../src/client.ts";
import type { RecordedEval } from "../../../src/runtime/eval/recorded-evals.ts";
import { cadre, createProject, type Project } from "../../cli/command-line.ts";
import { serveInProcess, token } from "../../serve/serve-fixture.ts";
import { serve } from "../../serve/serve-process.ts";

const script = `scripts:
  - when: { task: wait, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "until [ -e go ]; do sleep 0.05; done" } }] }
  - when: { task: "give it to the worker", turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: go } }] }
  - reply: { text: "42" }
`;

const evals = `cases:
  - name: sum
    task: What is 6 times 7?
    expect: { agents: none, output: { contains: "42" } }
  - name: worker
    delegation: stop
    task: give it to the worker
    expect: { agents: [worker], output: { contains: "43" } }
`;

const slow = `cases:
  - { name: quick, task: hello, expect: { output: { contains: "42" } } }
  - { name: slow, task: wait for it, files: { a.txt: a } }
`;

function createEvalProject(files: Record<string, string> = {}): Project {
  const project = createProject({
    "script.yaml": script,
    "evals/evals.yaml": evals,
    "slow.yaml": slow,
    ".cadre/agents/worker.md": "---\nname: worker\ndescription: works\n---\nYou work.\n",
    ...files,
  });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

/** Reads an eval until it has the wanted state. Each read leaves the CPU to the server. */
async function waitFor(
  client: ApiClient,
  id: string,
  isWanted: (found: RecordedEval) => boolean,
): Promise<RecordedEval> {
  for (;;) {
    const found = await client.readEval(id);
    if (isWanted(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Lets the active run of a trial continue. Returns its id. */
async function letGo(client: ApiClient): Promise<string> {
  for (;;) {
    const [run] = (await client.listRuns({ status: ["queued", "running"] })).runs;
    const [created] =
      run === undefined ? [] : (await client.listRunEvents(run.id, { limit: 1 })).events;
    if (run === undefined || created?.type !== "run-created") continue;
    writeFileSync(join(created.spec.workspace, "go"), "");
    return run.id;
  }
}

const hasEnded = ({ eval: { state } }: RecordedEval): boolean => state !== "running";

describe("evals over HTTP", () => {
  test("are started once for a key, graded, and listed with those of the command", async () => {
    const project = createEvalProject();
    const { url } = await serveInProcess({ project });
    const client = createClient({ url, token });
    const { files } = await client.listEvalFiles();
    expect(files).toEqual([
      { file: "evals/evals.yaml", cases: ["sum", "worker"], diagnostics: [] },
      { file: "slow.yaml", cases: ["quick", "slow"], diagnostics: [] },
    ]);
    const request = { files: ["evals/evals.yaml"], repeat: 2 };
    const started = await client.startEval(request, { idempotencyKey: "once" });
    const again = await client.startEval(request, { idempotencyKey: "once" });
    expect(again.eval.id).toBe(started.eval.id);
    const { eval: found, report, cases } = await waitFor(client, started.eval.id, hasEnded);
    expect(found).toMatchObject({
      state: "finished",
      outcome: "fail",
      trials: 4,
      passed: 2,
      failed: 2,
      errors: 0,
      agents: ["main"],
      files: [join(project.path, "evals/evals.yaml")],
    });
    expect(cases.map(({ name }) => name)).toEqual(["sum", "worker"]);
    expect(report.cases).toMatchObject([{ passed: 2 }, { failed: 2 }]);
    const [, , failed] = report.trials;
    expect(failed?.reasons).toEqual(['Expected the output to contain "43".']);
    // Each trial is a run, and a stopped delegation has no real one.
    const { runs } = await client.readFamily(failed?.record?.runId ?? "");
    expect(runs.map(({ agent }) => agent)).toEqual(["main", "worker"]);

    const ended = await cadre(project, ["eval", "evals/evals.yaml", "--filter", "sum", "--json"]);
    expect(ended.code).toBe(0);
    const { id } = JSON.parse(ended.stdout) as { id: string };
    const page = await client.listEvals({ limit: 1 });
    expect(page.evals).toMatchObject([{ id, outcome: "pass", trials: 1, passed: 1 }]);
    const rest = await client.listEvals({ limit: 1, cursor: page.next ?? "" });
    expect(rest).toMatchObject({ evals: [{ id: found.id }], next: null });
    expect((await client.readEval("last")).eval.id).toBe(id);
  });

  test("are cancelled, and resumed without repeating finished trials", async () => {
    const project = createEvalProject();
    const { url } = await serveInProcess({ project, mode: "auto" });
    const client = createClient({ url, token });
    const { eval: started } = await client.startEval({ files: ["slow.yaml"] });
    const { report } = await waitFor(client, started.id, ({ eval: one }) => one.passed === 1);
    await expect(client.resumeEval(started.id)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await client.cancelEval(started.id)).toMatchObject({
      isCancelled: true,
      eval: { state: "interrupted", passed: 1, trials: 2 },
    });
    expect((await client.cancelEval(started.id)).isCancelled).toBe(false);
    await client.resumeEval(started.id);
    await letGo(client);
    const done = await waitFor(client, started.id, hasEnded);
    expect(done.eval).toMatchObject({ state: "finished", outcome: "pass", passed: 2 });
    expect(done.report.trials[0]?.record?.runId).toBe(report.trials[0]?.record?.runId);
  });

  test("of a command are cancelled over HTTP, which its report says", async () => {
    const project = createEvalProject();
    const command = cadre(project, ["eval", "slow.yaml", "--json", "--mode", "auto"]);
    const { url } = await serve({ project, mode: "auto" });
    const client = createClient({ url, token });
    let started: string | undefined;
    while (started === undefined) started = (await client.listEvals()).evals[0]?.id;
    await waitFor(client, started, ({ eval: one }) => one.passed === 1);
    expect(await client.cancelEval("last")).toMatchObject({
      isCancelled: true,
      eval: { id: started, state: "interrupted", passed: 1, trials: 2 },
    });
    const { stdout } = await command;
    expect(JSON.parse(stdout)).toMatchObject({ id: started, isInterrupted: true });
    const { runs } = await client.listRuns({ status: ["queued", "running"] });
    expect(runs).toEqual([]);
    // The server continues what the command began.
    await client.resumeEval(started);
    await letGo(client);
    expect((await waitFor(client, started, hasEnded)).eval).toMatchObject({ state: "finished" });
  });

  test.each([
    ["was killed", "SIGKILL"],
    ["ended", "SIGTERM"],
  ] as const)(
    "of a server that %s are interrupted, and the next one continues them",
    async (_, signal) => {
      const project = createEvalProject();
      const first = await serve({ project, mode: "auto" });
      const client = createClient({ url: first.url, token });
      const { eval: started } = await client.startEval({ files: ["slow.yaml"] });
      await waitFor(client, started.id, ({ eval: one }) => one.passed === 1);
      first.server.child.kill(signal);
      await first.server.ended;
      const second = await serveInProcess({ project, mode: "auto" });
      const other = createClient({ url: second.url, token });
      expect((await other.readEval(started.id)).eval).toMatchObject({
        state: "interrupted",
        errors: 0,
      });
      await other.resumeEval(started.id);
      const left = await letGo(other);
      const { eval: done, report } = await waitFor(other, started.id, hasEnded);
      expect(done).toMatchObject({ state: "finished", passed: 2 });
      // The run of the killed server continues.
      expect(report.trials.find((trial) => trial.case === "slow")?.record?.runId).toBe(left);
    },
  );

  test("are refused for files outside the project, wrong files, and commands of an untrusted one", async () => {
    const project = createEvalProject({
      "broken.yaml": "cases: [{ name: x }]\n",
      "commands.yaml": "cases: [{ name: x, task: t, checks: [{ command: touch hacked }] }]\n",
    });
    mkdirSync(join(project.path, "..", "outside"), { recursive: true });
    symlinkSync("/etc", join(project.path, "etc"));
    const { url } = await serveInProcess({ project });
    const client = createClient({ url, token });
    const refused = async (files: string[], more = {}): Promise<unknown> =>
      await client.startEval({ files, ...more }).then(
        ({ eval: one }) => one,
        (error: unknown) => error,
      );
    const outside = { code: "invalid-argument", message: expect.stringContaining("outside of it") };
    expect(await refused(["../evals.yaml"])).toMatchObject(outside);
    expect(await refused(["/etc/passwd"])).toMatchObject(outside);
    expect(await refused(["etc/passwd"])).toMatchObject(outside);
    expect(await refused(["broken.yaml"])).toMatchObject({
      message: expect.stringContaining("task"),
    });
    expect(await refused(["commands.yaml"])).toMatchObject({ code: "not-trusted" });
    expect(await refused(["evals/evals.yaml"], { filter: "none" })).toMatchObject({
      message: expect.stringContaining("sum, worker"),
    });
    expect(await refused([])).toMatchObject({ errors: [{ pointer: "/files" }] });
    await expect(client.readEval("../../x")).rejects.toMatchObject({ code: "invalid-argument" });
    expect((await client.listEvals()).evals).toEqual([]);
    expect((await client.listRuns()).runs).toEqual([]);
  });
});

test("graphs of the project are listed and started, and none outside of it", async () => {
  const project = createEvalProject({
    "graphs/two.yaml":
      "runs:\n  - { label: one, agent: worker, task: first }\n  - { label: two, agent: worker, task: second, dependsOn: one }\n",
  });
  const { url } = await serveInProcess({ project });
  const client = createClient({ url, token });
  expect((await client.listGraphs()).graphs).toEqual([{ file: "graphs/two.yaml" }]);
  const request = { file: "graphs/two.yaml", label: "both" };
  const { run } = await client.startGraph(request, { idempotencyKey: "graph" });
  expect((await client.startGraph(request, { idempotencyKey: "graph" })).run.id).toBe(run.id);
  expect((await client.readResult(run.id)).result.status).toBe("succeeded");
  const { runs } = await client.readFamily(run.id);
  expect(runs.map(({ agent, label }) => [agent, label])).toEqual([
    ["graph", "both"],
    ["worker", "one"],
    ["worker", "two"],
  ]);
  await expect(client.startGraph({ file: "../two.yaml" })).rejects.toMatchObject({
    code: "invalid-argument",
  });
});
