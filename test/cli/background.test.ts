import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project, start } from "./command-line.ts";
import { onTerminal } from "./on-terminal.ts";
import { readScreen } from "./screen.ts";

const script = `scripts:
  - when: { task: do it, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: go } }] }
  - when: { agent: worker, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "echo one >> done" } }] }
  - when: { agent: worker, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "echo two >> done" } }] }
  - reply: { text: all done }
`;

const places: Project[] = [];

function project(): Project {
  const place = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  places.push(place);
  return place;
}

/** Asks about each command, so that a run stands still until it is answered. */
const asking = ["--mode", "ask", "--sandbox", "off"];

async function runInBackground(place: Project, more: readonly string[] = asking): Promise<string> {
  // A process of its own: the supervisor is started as this command was.
  const { code, stdout, stderr } = await start(place, ["run", "--bg", "do", "it", ...more]).ended;
  expect(stderr).toContain("It runs in the background: cadre attach ");
  expect(code).toBe(0);
  return stdout.trim();
}

/** The process that executes runs in the background. */
function supervisorOf(place: Project): number | undefined {
  const folder = join(place.path, "state");
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((one) => /^supervisor-.*\.json$/.test(one));
  if (name === undefined) return undefined;
  return (JSON.parse(readFileSync(join(folder, name), "utf8")) as { pid: number }).pid;
}

async function awaitQuestion(place: Project): Promise<string> {
  return await expect
    .poll(async () => (await listQuestions(place))[0], { timeout: 30_000, interval: 200 })
    .toBeDefined()
    .then(async () => (await listQuestions(place))[0]?.id ?? "");
}

async function listQuestions(place: Project): Promise<{ id: string }[]> {
  const { stdout } = await cadre(place, ["questions", "--json"]);
  return (JSON.parse(stdout) as { questions: { id: string }[] }).questions;
}

/** Answers the next question with yes. */
async function answerNext(place: Project): Promise<void> {
  const id = await awaitQuestion(place);
  expect((await cadre(place, ["answer", id, "yes"])).code).toBe(0);
}

const done = (place: Project): string => readFileSync(join(place.path, "done"), "utf8");

afterAll(() => {
  for (const place of places) {
    const pid = supervisorOf(place);
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }
});

describe("cadre run --bg", () => {
  it("returns at once; any terminal watches the run, answers it and gets its result", async () => {
    const place = project();
    const id = await runInBackground(place);
    await awaitQuestion(place);
    const watching = start(place, ["attach", id]);
    const other = start(place, ["attach", id, "--json"]);
    for (const one of [watching, other]) await one.said("waits for an answer");
    await answerNext(place);
    await answerNext(place);
    const seen = await watching.ended;
    expect(seen).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(seen.stderr).toContain("worker succeeded");
    expect(JSON.parse((await other.ended).stdout)).toMatchObject({
      runId: id,
      status: "succeeded",
      text: "all done",
    });
    expect(done(place)).toBe("one\ntwo\n");
    const late = await cadre(place, ["attach", id]);
    expect(late).toMatchObject({ code: 0, stdout: "all done\n" });
    await expect.poll(() => readdirSync(join(place.path, "state/background"))).toEqual([]);
  });

  it("goes on after its supervisor was killed, and repeats nothing", async () => {
    const place = project();
    const id = await runInBackground(place);
    await answerNext(place);
    await awaitQuestion(place);
    expect(done(place)).toBe("one\n");
    process.kill(supervisorOf(place) ?? 0, "SIGKILL");
    const watching = start(place, ["attach", id]);
    await watching.said("resumed");
    await answerNext(place);
    expect(await watching.ended).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(done(place)).toBe("one\ntwo\n");
    const { stdout } = await cadre(place, ["logs", id]);
    expect(stdout.match(/main (?:started|resumed): do it$/gm)).toEqual([
      "main started: do it",
      "main resumed: do it",
    ]);
  });

  it("is left by a supervisor that is asked to end, and taken up with the next run", async () => {
    const place = project();
    const first = await runInBackground(place);
    await awaitQuestion(place);
    const pid = supervisorOf(place) ?? 0;
    process.kill(pid, "SIGTERM");
    await expect.poll(() => supervisorOf(place), { timeout: 20_000 }).toBeUndefined();
    const second = await runInBackground(place, ["--mode", "auto", "--sandbox", "off"]);
    expect(supervisorOf(place)).not.toBe(pid);
    expect((await cadre(place, ["attach", second])).code).toBe(0);
    await answerNext(place);
    await answerNext(place);
    expect((await cadre(place, ["attach", first])).code).toBe(0);
  });

  it("shares one supervisor with a run that begins at the same moment", async () => {
    const place = project();
    const words = ["--mode", "auto", "--sandbox", "off"];
    const ids = await Promise.all([runInBackground(place, words), runInBackground(place, words)]);
    for (const id of ids) expect((await start(place, ["attach", id]).ended).code).toBe(0);
    expect(done(place).trim().split("\n").toSorted()).toEqual(["one", "one", "two", "two"]);
    const names = readdirSync(join(place.path, "state")).filter((name) => name.endsWith(".json"));
    expect(names).toHaveLength(1);
  });

  it("says why a run cannot be continued", async () => {
    const place = project();
    const id = await runInBackground(place);
    await awaitQuestion(place);
    process.kill(supervisorOf(place) ?? 0, "SIGKILL");
    rmSync(join(place.path, "script.yaml"));
    const { code, stderr } = await start(place, ["attach", id]).ended;
    expect(code).toBe(0);
    expect(stderr).toContain("No process executes it any more.");
    expect(stderr).toContain("script.yaml");
    expect(stderr).toMatch(/To continue it: cadre resume [0-9a-z]+\n/);
    expect(readFileSync(join(place.path, "state/supervisor.log"), "utf8")).toContain(id);
  });

  it("is refused with options that need the command to stay, and creates no run for wrong input", async () => {
    const place = project();
    const both = await cadre(place, ["run", "--bg", "--events", "x"]);
    expect(both).toMatchObject({ code: 2 });
    expect(both.stderr).toContain("Expected --bg or --events; got both.");
    const unknown = await cadre(place, ["run", "--bg", "--agent", "nobody", "x"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("nobody");
    expect(existsSync(join(place.path, "state/background"))).toBe(false);
  });
});

describe("cadre attach", () => {
  it("leaves the run alone at Ctrl-C", async () => {
    const place = project();
    const id = await runInBackground(place);
    await awaitQuestion(place);
    const watching = start(place, ["attach", id]);
    await watching.said("waits for an answer: cadre answer");
    watching.child.kill("SIGINT");
    const { code, stderr } = await watching.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("The run continues: cadre attach");
    expect(await listQuestions(place)).toHaveLength(1);
  });

  it("puts the questions of the run to the user of its terminal", async () => {
    const place = project();
    const id = await runInBackground(place);
    await awaitQuestion(place);
    const { code, stdout } = await onTerminal(
      place,
      ["attach", id],
      [
        ["allow? [y/a/p/n/r/v] ", "y"],
        ["echo two", ""],
        ["allow? [y/a/p/n/r/v] ", "y"],
      ],
    );
    expect(code).toBe(0);
    expect(readScreen(stdout).join("\n")).toContain("all done");
    expect(done(place)).toBe("one\ntwo\n");
  });

  it("watches a run of another terminal, and says when its process is gone", async () => {
    const place = project();
    const run = start(place, ["run", "do", "it", ...asking, "--wait-for-answers"]);
    await run.said("needs approval");
    const watching = start(place, ["attach", "last"]);
    await watching.said("waits for an answer");
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
    const place = project();
    const id = await runInBackground(place);
    await awaitQuestion(place);
    const logs = start(place, ["logs", id, "--follow"]);
    const events = start(place, ["events", id, "--follow", "--json"]);
    const tree = start(place, ["tree", id, "--watch"]);
    await answerNext(place);
    await answerNext(place);
    const lines = (await logs.ended).stdout;
    expect(lines).toMatch(/main calls Agent worker: go\n/);
    expect(lines).toMatch(/ {2}worker was answered: allow\n.* {2}worker calls Bash: echo one/);
    expect(lines).toMatch(/main succeeded \(.*\n$/);
    const written = (await events.ended).stdout.trim().split("\n");
    const parsed = written.map((line) => JSON.parse(line) as { runId: string; seq: number });
    expect(new Set(parsed.map(({ runId }) => runId)).size).toBe(2);
    for (const runId of new Set(parsed.map((event) => event.runId))) {
      const seqs = parsed.filter((event) => event.runId === runId).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    }
    expect((await tree.ended).stdout).toMatch(/main +all done .*\n.*worker \(go\) +all done/);
    const past = await cadre(place, ["logs", id]);
    expect(past.stdout).toBe(lines);
  });

  it("is not redrawn as JSON", async () => {
    const { code, stderr } = await cadre(project(), ["tree", "last", "--watch", "--json"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Expected --json or --watch; got both.");
  });
});
