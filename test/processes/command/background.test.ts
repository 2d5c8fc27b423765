import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";

const script = `scripts:
  - when: { task: do it, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: go } }] }
  - when: { agent: worker, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo one >> done" } }] }
  - when: { agent: worker, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "echo two >> done" } }] }
  - reply: { text: all done }
`;

const projects: Project[] = [];

function project(): Project {
  const fixture = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  projects.push(fixture);
  return fixture;
}

/** Options that ask about each command, so that a run stops until it is answered. */
const asking = ["--mode", "ask", "--sandbox", "off"];

async function runInBackground(
  fixture: Project,
  more: readonly string[] = asking,
): Promise<string> {
  // A separate process, because the supervisor is started in the same way as this command.
  const { code, stdout, stderr } = await start(fixture, ["run", "--bg", "do", "it", ...more]).ended;
  expect(stderr).toContain("It runs in the background: cadre attach ");
  expect(code).toBe(0);
  return stdout.trim();
}

/** Returns the process that executes background runs. */
function supervisorOf(fixture: Project): number | undefined {
  const folder = join(fixture.path, "state");
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((one) => /^supervisor-.*\.json$/.test(one));
  if (name === undefined) return undefined;
  return (JSON.parse(readFileSync(join(folder, name), "utf8")) as { pid: number }).pid;
}

async function awaitQuestion(fixture: Project): Promise<string> {
  let id = "";
  const findQuestion = async (): Promise<string> =>
    (id = (await listQuestions(fixture))[0]?.id ?? "");
  await expect.poll(findQuestion, { timeout: 30_000, interval: 200 }).not.toBe("");
  return id;
}

async function listQuestions(fixture: Project): Promise<{ id: string }[]> {
  const { stdout } = await cadre(fixture, ["questions", "--json"]);
  return (JSON.parse(stdout) as { questions: { id: string }[] }).questions;
}

/** Answers yes to the next question. */
async function answerNext(fixture: Project): Promise<void> {
  const id = await awaitQuestion(fixture);
  // Its output on standard error is part of a failure's report.
  expect(await cadre(fixture, ["answer", id, "yes"])).toMatchObject({ code: 0, stderr: "" });
}

const done = (fixture: Project): string => readFileSync(join(fixture.path, "done"), "utf8");

afterAll(() => {
  for (const fixture of projects) {
    const pid = supervisorOf(fixture);
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }
});

describe("cadre run --bg", () => {
  it("returns at once; any terminal watches the run, answers it and gets its result", async () => {
    const fixture = project();
    const id = await runInBackground(fixture);
    await awaitQuestion(fixture);
    const watching = start(fixture, ["attach", id]);
    const other = start(fixture, ["attach", id, "--json"]);
    for (const one of [watching, other]) await one.printed("waits for an answer");
    await answerNext(fixture);
    await answerNext(fixture);
    const seen = await watching.ended;
    expect(seen).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(seen.stderr).toContain("worker succeeded");
    expect(JSON.parse((await other.ended).stdout)).toMatchObject({
      runId: id,
      status: "succeeded",
      text: "all done",
    });
    expect(done(fixture)).toBe("one\ntwo\n");
    const late = await cadre(fixture, ["attach", id]);
    expect(late).toMatchObject({ code: 0, stdout: "all done\n" });
    await expect.poll(() => readdirSync(join(fixture.path, "state/background"))).toEqual([]);
  });

  it("continues after its supervisor was killed, and repeats nothing", async () => {
    const fixture = project();
    const id = await runInBackground(fixture);
    await answerNext(fixture);
    await awaitQuestion(fixture);
    expect(done(fixture)).toBe("one\n");
    process.kill(supervisorOf(fixture) ?? 0, "SIGKILL");
    const watching = start(fixture, ["attach", id]);
    await watching.printed("resumed");
    await answerNext(fixture);
    expect(await watching.ended).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(done(fixture)).toBe("one\ntwo\n");
    const { stdout } = await cadre(fixture, ["logs", id]);
    expect(stdout.match(/main (?:started|resumed): do it$/gm)).toEqual([
      "main started: do it",
      "main resumed: do it",
    ]);
  });

  it("is left by a supervisor that is asked to end, and taken up with the next run", async () => {
    const fixture = project();
    const first = await runInBackground(fixture);
    await awaitQuestion(fixture);
    const pid = supervisorOf(fixture) ?? 0;
    process.kill(pid, "SIGTERM");
    await expect.poll(() => supervisorOf(fixture), { timeout: 20_000 }).toBeUndefined();
    const second = await runInBackground(fixture, ["--mode", "auto", "--sandbox", "off"]);
    expect(supervisorOf(fixture)).not.toBe(pid);
    expect((await cadre(fixture, ["attach", second])).code).toBe(0);
    await answerNext(fixture);
    await answerNext(fixture);
    expect((await cadre(fixture, ["attach", first])).code).toBe(0);
  });

  it("shares one supervisor with a run that begins at the same moment", async () => {
    const fixture = project();
    const words = ["--mode", "auto", "--sandbox", "off"];
    const ids = await Promise.all([
      runInBackground(fixture, words),
      runInBackground(fixture, words),
    ]);
    // A supervisor ends some seconds after its last family.
    const names = readdirSync(join(fixture.path, "state")).filter((name) => name.endsWith(".json"));
    expect(names).toHaveLength(1);
    for (const id of ids) expect((await start(fixture, ["attach", id]).ended).code).toBe(0);
    expect(done(fixture).trim().split("\n").toSorted()).toEqual(["one", "one", "two", "two"]);
  });

  it("says why a run cannot be continued", async () => {
    const fixture = project();
    const id = await runInBackground(fixture);
    await awaitQuestion(fixture);
    process.kill(supervisorOf(fixture) ?? 0, "SIGKILL");
    rmSync(join(fixture.path, "script.yaml"));
    const { code, stderr } = await start(fixture, ["attach", id]).ended;
    expect(code).toBe(0);
    expect(stderr).toContain("No process executes it any more.");
    expect(stderr).toContain("script.yaml");
    expect(stderr).toMatch(/To continue it: cadre resume [0-9a-z]+\n/);
    expect(readFileSync(join(fixture.path, "state/supervisor.log"), "utf8")).toContain(id);
    for (const words of [["runs"], ["tree", id], ["show", id]]) {
      const warnings = (await cadre(fixture, words)).stderr;
      expect(warnings).toMatch(`No process executes ${id}: `);
      expect(warnings).toContain("script.yaml");
      expect(warnings).toContain(`To continue it: cadre resume ${id}\n`);
    }
  });

  it("has the models that the command line names, also when they read a file", async () => {
    const fixture = project();
    fixture.write("other.yaml", "scripts: [{ reply: { text: other } }]");
    fixture.write(
      "refused.yaml",
      "scripts: [{ reply: { text: '', fault: { kind: status, status: 401 } } }]",
    );
    const models = ["--model", "scripted:refused.yaml", "--fallback", "scripted:other.yaml"];
    const id = await runInBackground(fixture, models);
    expect(await start(fixture, ["attach", id]).ended).toMatchObject({
      code: 0,
      stdout: "other\n",
    });
  });

  it("is not said to be left while its supervisor is about to execute it", async () => {
    const fixture = project();
    const first = await runInBackground(fixture);
    await awaitQuestion(fixture);
    // The supervisor looks for new families between two stops of its process.
    process.kill(supervisorOf(fixture) ?? 0, "SIGSTOP");
    const second = await runInBackground(fixture);
    const { stderr } = await cadre(fixture, ["runs"]);
    process.kill(supervisorOf(fixture) ?? 0, "SIGCONT");
    expect(stderr).not.toContain(second);
    for (const id of [first, second]) expect((await cadre(fixture, ["cancel", id])).code).toBe(0);
  });

  it("is refused with options that need the command to stay, and creates no run for wrong input", async () => {
    const fixture = project();
    const both = await cadre(fixture, ["run", "--bg", "--events", "x"]);
    expect(both).toMatchObject({ code: 2 });
    expect(both.stderr).toContain("Expected --bg or --events; got both.");
    const unknown = await cadre(fixture, ["run", "--bg", "--agent", "nobody", "x"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("nobody");
    expect(existsSync(join(fixture.path, "state/background"))).toBe(false);
  });
});

describe("cadre attach", () => {
  it("leaves the run alone at Ctrl-C", async () => {
    const fixture = project();
    const id = await runInBackground(fixture);
    await awaitQuestion(fixture);
    const watching = start(fixture, ["attach", id]);
    await watching.printed("waits for an answer: cadre answer");
    watching.child.kill("SIGINT");
    const { code, stderr } = await watching.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("The run continues: cadre attach");
    expect(await listQuestions(fixture)).toHaveLength(1);
  });

  it("puts the questions of the run to the user of its terminal", async () => {
    const fixture = project();
    const id = await runInBackground(fixture);
    await awaitQuestion(fixture);
    const { code, stdout } = await onTerminal(
      fixture,
      ["attach", id],
      [
        ["allow? [y/a/p/n/r/v] ", "y"],
        ["echo two", ""],
        ["allow? [y/a/p/n/r/v] ", "y"],
      ],
    );
    expect(code).toBe(0);
    expect(readScreen(stdout).join("\n")).toContain("all done");
    expect(done(fixture)).toBe("one\ntwo\n");
  });

  it("watches a run of another terminal, and says when its process is gone", async () => {
    const fixture = project();
    const run = start(fixture, ["run", "do", "it", ...asking, "--wait-for-answers"]);
    await run.printed("needs approval");
    const watching = start(fixture, ["attach", "last"]);
    await watching.printed("waits for an answer");
    run.child.kill("SIGKILL");
    await run.ended;
    const { code, stderr } = await watching.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("No process executes it any more. To continue it: cadre resume ");
  });

  it("refuses a run that does not exist", async () => {
    const { code, stderr } = await cadre(project(), ["attach", "7f3q01c"]);
    expect(code).toBe(2);
    expect(stderr).toContain("7f3q01c");
  });
});

describe("a family of another process", () => {
  it("is followed as a whole by `logs`, `events` and `tree --watch`", async () => {
    const fixture = project();
    const id = await runInBackground(fixture);
    await awaitQuestion(fixture);
    const logs = start(fixture, ["logs", id, "--follow"]);
    const events = start(fixture, ["events", id, "--follow", "--json"]);
    const tree = start(fixture, ["tree", id, "--watch"]);
    await answerNext(fixture);
    await answerNext(fixture);
    const lines = (await logs.ended).stdout;
    expect(lines).toMatch(/main calls Agent worker: go\n/);
    expect(lines).toMatch(
      / {2}worker was answered: allowed \((?:once|always)\)\n.* {2}worker calls Bash: echo one/,
    );
    expect(lines).toMatch(/main succeeded \(.*\n$/);
    const written = (await events.ended).stdout.trim().split("\n");
    const parsed = written.map((line) => JSON.parse(line) as { runId: string; seq: number });
    expect(new Set(parsed.map(({ runId }) => runId)).size).toBe(2);
    for (const runId of new Set(parsed.map((event) => event.runId))) {
      const seqs = parsed.filter((event) => event.runId === runId).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    }
    expect((await tree.ended).stdout).toMatch(/main +all done .*\n.*worker \(go\) +all done/);
    const past = await cadre(fixture, ["logs", id]);
    expect(past.stdout).toBe(lines);
  });

  it("is not redrawn as JSON", async () => {
    const { code, stderr } = await cadre(project(), ["tree", "last", "--watch", "--json"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected --json or --watch; got both.");
  });
});
