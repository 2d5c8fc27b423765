import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  agentFile,
  cadre,
  createProject,
  type Project,
  type Started,
} from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";

const script = `scripts:
  - when: { task: do it, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: go } }] }
  - when: { agent: worker, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "touch docs/one" } }] }
  - when: { agent: worker, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "touch docs/two" } }] }
  - when: { agent: editor, turn: 0 }
    reply: { calls: [{ tool: Read, input: { file_path: docs/a.md } }] }
  - when: { agent: editor, turn: 1 }
    reply:
      calls: [{ tool: Edit, input: { file_path: docs/a.md, old_string: two, new_string: "2\\e[2J" } }]
  - reply: { text: "{{last}}" }
`;

const asking = ["--mode", "ask", "--sandbox", "off"];

function project(): Project {
  return createProject({
    "script.yaml": script,
    "docs/a.md": "one\ntwo\nthree\n",
    ".cadre/agents/worker.md": agentFile("worker"),
    ".cadre/agents/editor.md": agentFile("editor"),
    ".cadre/agents/planner.md":
      "---\nname: planner\ndescription: plans\npermissionMode: plan\n---\nYou plan.\n",
  });
}

interface Listed {
  id: string;
  title: string;
  chain: string[];
  reason: string;
  proposal: string;
  levels: { decision: string; reason: string }[];
}

async function questions(fixture: Project): Promise<Listed[]> {
  const { stdout } = await cadre(fixture, ["questions", "--json"]);
  return (JSON.parse(stdout) as { questions: Listed[] }).questions;
}

/** Waits until a run asks about a command. Returns the question. */
async function awaitQuestion(fixture: Project, run: Started, command: string): Promise<Listed> {
  await run.printed(`needs approval: Bash: ${command}`);
  const found = (await questions(fixture)).find((one) => one.title === `Bash: ${command}`);
  if (found === undefined) throw new Error(`No question is about ${command}.`);
  return found;
}

function startWaiting(fixture: Project, words: readonly string[] = ["run", "do", "it"]): Started {
  return start(fixture, [...words, ...asking, "--wait-for-answers"]);
}

describe.concurrent("a question of a run without a terminal", () => {
  it("is listed with who asks and why, and answered by another process", async () => {
    const fixture = project();
    const run = startWaiting(fixture);
    const first = await awaitQuestion(fixture, run, "touch docs/one");
    expect(first).toMatchObject({
      title: "Bash: touch docs/one",
      chain: ["main", "worker"],
      reason: "mode ask of the configuration",
      proposal: "Bash(touch docs/one)",
    });
    const list = await cadre(fixture, ["questions"]);
    expect(list.stdout).toMatch(
      /^QUESTION .*\n\S+:tool\/1\/0 +main > worker +\S+ +Bash: touch docs\/one\n$/,
    );
    const yes = await cadre(fixture, ["answer", first.id, "yes"]);
    expect(yes).toMatchObject({ code: 0, stdout: `The run has the answer to ${first.id}.\n` });
    const second = await awaitQuestion(fixture, run, "touch docs/two");
    await cadre(fixture, ["answer", second.id, "no", "--reason", "one is enough"]);
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("not approved: one is enough");
    expect(existsSync(join(fixture.path, "docs/one"))).toBe(true);
    expect(existsSync(join(fixture.path, "docs/two"))).toBe(false);
    const none = await cadre(fixture, ["questions"]);
    expect(none).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No question waits for an answer.\n",
    });
    const late = await cadre(fixture, ["answer", second.id, "yes"]);
    expect(late.code).toBe(2);
    expect(late.stderr).toContain("was already answered: denied: one is enough");
  });

  it("is asked once for a rule, which goes into the project's configuration", async () => {
    const fixture = project();
    const run = startWaiting(fixture);
    const { id } = await awaitQuestion(fixture, run, "touch docs/one");
    const answered = await cadre(fixture, [
      "answer",
      id,
      "rule",
      "--rule",
      "Bash(touch docs/*)",
      "--for",
      "project",
    ]);
    const path = join(fixture.path, ".cadre/config.yaml");
    expect(answered.stderr).toBe(
      `Added to permissions.allow in ${path}. It takes effect once the folder is trusted: cadre trust\n`,
    );
    expect((await run.ended).code).toBe(0);
    expect(existsSync(join(fixture.path, "docs/two"))).toBe(true);
    expect(readFileSync(path, "utf8")).toMatch(/- Bash\(touch docs\/\*\) # allowed on \d/);
  });

  it("is asked again for a rule that does not cover the call", async () => {
    const fixture = project();
    const run = startWaiting(fixture);
    const { id } = await awaitQuestion(fixture, run, "touch docs/one");
    const refused = await cadre(fixture, ["answer", id, "rule", "--rule", "Bash(ls*)"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      "The run did not accept the answer and asks again: the rule Bash(ls*) does not cover this call",
    );
    const problem = "the rule Bash(ls*) does not cover this call; mode ask of the configuration";
    expect((await questions(fixture))[0]?.reason).toBe(problem);
    await cadre(fixture, ["answer", id, "rule", "--rule", "Bash(touch *)"]);
    expect((await run.ended).code).toBe(0);
    expect(existsSync(join(fixture.path, "docs/two"))).toBe(true);
  });

  it("waits through a kill: an answer given before the resume, or after it, counts once", async () => {
    const fixture = project();
    const first = startWaiting(fixture);
    const { id } = await awaitQuestion(fixture, first, "touch docs/one");
    first.child.kill("SIGKILL");
    await first.ended;
    const left = await cadre(fixture, ["answer", id, "yes"]);
    expect(left.stdout).toContain("No process executes the run: cadre resume ");
    const second = startWaiting(fixture, ["resume", "last"]);
    const next = await awaitQuestion(fixture, second, "touch docs/two");
    second.child.kill("SIGKILL");
    await second.ended;
    const third = startWaiting(fixture, ["resume", "last"]);
    await third.printed("needs approval");
    await cadre(fixture, ["answer", next.id, "yes"]);
    expect((await third.ended).code).toBe(0);
    expect(existsSync(join(fixture.path, "docs/two"))).toBe(true);
  });

  it("is denied at once without --wait-for-answers", async () => {
    const { stdout } = await cadre(project(), ["run", "do", "it", ...asking]);
    expect(stdout).toContain("there is no user to ask");
  });
});

describe.concurrent("cadre answer", () => {
  it.each([
    [["7f3q01c"], "Expected an answer: yes, always, rule, no."],
    [["yes"], "Expected a question before the answer: cadre answer last yes."],
    [["7f3q01c", "yes"], "There is no run 7f3q01c"],
    [["7f3q01c:tool/1/0", "yes"], "7f3q01c"],
    [["7f3q01c:tool/1/0", "maybe"], "Allowed choices are yes, always, rule, no"],
    [["7f3q01c:tool/1/0", "yes", "--rule", "Read"], "--rule and --for belong to the answer `rule`"],
    [["7f3q01c:tool/1/0", "yes", "--reason", "x"], "--reason belongs to the answer `no`"],
    [["7f3q01c:tool/1/0", "rule"], "No rule is proposed. Give one with --rule."],
  ])("refuses %j", async (words, message) => {
    const { code, stderr } = await cadre(project(), ["answer", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it("is refused to a command of a run", async () => {
    const fixture = project();
    fixture.environment["CADRE_RUN_STEP"] = "r/tool/1/0";
    const { code, stderr } = await cadre(fixture, ["answer", "7f3q01c:tool/1/0", "yes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("A command of a run cannot answer questions");
  });

  it("takes a run with one question", async () => {
    const fixture = project();
    const run = startWaiting(fixture);
    const { id } = await awaitQuestion(fixture, run, "touch docs/one");
    const { stdout } = await cadre(fixture, ["answer", "last", "always"]);
    expect(stdout).toBe(`The run has the answer to ${id}.\n`);
    const next = await awaitQuestion(fixture, run, "touch docs/two");
    await cadre(fixture, ["answer", next.id, "no"]);
    expect((await run.ended).code).toBe(0);
    const late = await cadre(fixture, ["answer", "last", "yes"]);
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining("none is open") });
  });

  it("without a question asks each on a terminal, and says without one how to answer", async () => {
    const fixture = project();
    const run = startWaiting(fixture);
    const { id } = await awaitQuestion(fixture, run, "touch docs/one");
    const blind = await cadre(fixture, ["answer"]);
    expect(blind.stderr).toContain(
      `Without a terminal, name one with its answer: cadre answer ${id} yes`,
    );
    const { code, stdout } = await onTerminal(
      fixture,
      ["answer"],
      [
        ["allow? [y/a/p/n/r/v] ", "v"],
        ["by mode ask of the configuration", ""],
        ["allow? [y/a/p/n/r/v] ", "p"],
        ["rule: ", "\u0015Bash(touch *)\r"],
        ["for? [f/p/u] ", "f"],
      ],
    );
    expect(code).toBe(0);
    expect(readScreen(stdout).join("\n")).toContain(`The run has the answer to ${id}.`);
    expect((await run.ended).code).toBe(0);
    expect(existsSync(join(fixture.path, "docs/two"))).toBe(true);
  });
});

it("a question about an edit shows its diff, in which nothing can act on the terminal", async () => {
  const fixture = project();
  const { code, stdout } = await onTerminal(
    fixture,
    ["run", "editor", "go", ...asking],
    [["allow? [y/a/p/n/r/v] ", "y"]],
  );
  expect(code).toBe(0);
  const shown = readScreen(stdout).join("\n");
  expect(shown).toContain(
    "  │ docs/a.md\n  │ @@ line 1 -> 1 @@\n  │  one\n  │ -two\n  │ +2\\x1b[2J\n  │  three\n",
  );
  expect(shown).toContain("proposed pattern: Edit(docs/**)");
});

describe.concurrent("cadre explain", () => {
  it("says who decides what about a call, and where a command runs", async () => {
    const fixture = project();
    const asked = await cadre(fixture, ["explain", "main", "Bash(git push)", "--mode", "ask"]);
    expect(asked.stdout).toMatch(
      /^ask: main Bash\(git push\)\nby mode ask of the configuration\n\nSandbox: \S.*\n$/,
    );
    const denied = await cadre(fixture, ["explain", "planner", "Write(a.md)", "--parent", "main"]);
    expect(denied.stdout).toBe(
      "deny: main > planner Write(a.md)\nby mode plan of agent planner\n\nEach level alone (the strictest counts):\n  ask    mode ask of the configuration\n  deny   mode plan of agent planner\n",
    );
  });

  it("considers the tools of each agent, and writes JSON", async () => {
    const fixture = project();
    fixture.write(
      ".cadre/agents/reader.md",
      "---\nname: reader\ndescription: reads\ntools: Read\n---\nYou read.\n",
    );
    const { stdout } = await cadre(fixture, ["explain", "reader", "Write(a.md)", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      chain: ["reader"],
      tool: "Write",
      subject: "a.md",
      decision: "deny",
      reason: "the tools of agent reader, which have no Write",
      levels: [
        { decision: "deny", reason: "the tools of agent reader, which have no Write" },
        { decision: "ask", reason: "mode ask of the configuration" },
      ],
      sandbox: null,
    });
  });

  it.each([
    [["nobody", "Read"], 'There is no agent "nobody"'],
    [["main", "Bush(ls)"], "There is no tool Bush"],
    [["main", "Bash("], "Write it as Tool or Tool(argument)."],
    [["main", "*"], "Name one tool."],
  ])("refuses %j", async (words, message) => {
    const { code, stderr } = await cadre(project(), ["explain", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
