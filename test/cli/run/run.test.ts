import { describe, expect, it, test } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../command-line.ts";

const script = `scripts:
  - when: { task: delegate, turn: 0 }
    reply:
      text: I delegate.
      calls: [{ tool: Agent, input: { type: reader, prompt: look here } }]
  - when: { task: hang }
    reply: { fault: { kind: hang } }
  - when: { task: break }
    reply: { fault: { kind: status, status: 400 } }
  - when: { task: hostile }
    reply: { text: "red \\e[31malert\\e]0;title\\a \\u202e\\u009b2J end" }
  - when: { agent: reader }
    reply: { text: "read it: {{task}}" }
  - reply: { text: "answer to {{task}}: {{last}}" }
`;

function project(files: Record<string, string> = {}): Project {
  return createProject({
    "script.yaml": script,
    ".cadre/agents/reader.md": agentFile("reader"),
    ...files,
  });
}

describe.concurrent("cadre run", () => {
  it("writes the answer on stdout, and progress and summary on stderr", async () => {
    const { code, stdout, stderr } = await cadre(project(), ["run", "delegate", "this"]);
    expect(stdout).toBe("answer to delegate this: read it: look here\n");
    expect(code).toBe(0);
    expect(stderr).toMatch(/s {2}main started: delegate this\n/);
    expect(stderr).toMatch(/s {4}reader started: look here\n/);
    expect(stderr).toMatch(/s {4}reader succeeded \(.*1 turn, .*\): read it: look here\n/);
    expect(stderr).toMatch(/s {2}main succeeded \(.*s, 2 runs, 3 turns, .*\): answer to/);
    expect(stderr).toMatch(/succeeded: 2 runs, 3 turns, .* tokens in, .* out, cost .*s\n/);
    expect(stderr).toMatch(/run \w+-\w+; for details: cadre tree \w+, cadre show \w+, cadre/);
  });

  it("finds an agent of a pack by every form of reference", async () => {
    const fixture = project({
      ".aipack/custom/ns/p/main.aip": "# Output\n```lua\nreturn 'main'\n```\n",
      ".aipack/custom/ns/p/fix.aip": "# Output\n```lua\nreturn 'fix ' .. input\n```\n",
    });
    const ways = ["ns@p", "ns@p/main", "ns@p/main.aip", "ns@p/fix", "ns@p/fix.aip"];
    const runs = await Promise.all(
      ways.map((way) => cadre(fixture, ["run", way, "it", "--trust"])),
    );
    expect(runs.map(({ stdout }) => stdout)).toEqual([
      "main\n",
      "main\n",
      "main\n",
      "fix it\n",
      "fix it\n",
    ]);
  });

  it("writes exactly one result object with --json", async () => {
    const { code, stdout } = await cadre(project(), ["run", "delegate", "this", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "succeeded",
      text: "answer to delegate this: read it: look here",
      runs: 2,
      turns: 3,
      own: { turns: 2 },
      warnings: [],
    });
    expect(code).toBe(0);
  });

  it("writes the family's journal as NDJSON with --events, the root's end last", async () => {
    const { stdout } = await cadre(project(), ["run", "delegate", "this", "--events"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; runId: string; seq: number });
    const first = events[0]?.runId;
    expect(events[0]).toMatchObject({ type: "run-created", seq: 1 });
    expect(events.at(-1)).toMatchObject({ type: "run-finished", runId: first });
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(2);
    const own = events.filter(({ runId }) => runId === first).map(({ seq }) => seq);
    expect(own).toEqual(own.map((_, index) => index + 1));
  });

  it("runs the agent that the first word names, an agent file, or the one of --agent", async () => {
    const fixture = project({ "mine.md": agentFile("mine", "You are reader too.") });
    const named = await cadre(fixture, ["run", "reader", "a", "book"]);
    expect(named.stdout).toBe("read it: a book\n");
    const fromFile = await cadre(fixture, ["run", "mine.md", "a", "file"]);
    expect(fromFile.stderr).toContain("mine succeeded");
    expect(fromFile.stdout).toBe("read it: a file\n");
    const chosen = await cadre(fixture, ["run", "--agent", "reader", "reader", "rules"]);
    expect(chosen.stdout).toBe("read it: reader rules\n");
  });

  it("reads the task from stdin without words, and explains the usage when stdin is empty", async () => {
    const fixture = project();
    expect((await cadre(fixture, ["run", "reader"], "a pipe\n")).stdout).toContain(
      "read it: a pipe",
    );
    const none = await cadre(fixture, ["run", "reader"]);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("Expected a task for reader");
    expect(none.stderr).toContain("pipe it in");
  });

  it("exits with 1 for a failed run and 124 for a timeout, with the reason", async () => {
    const fixture = project();
    const failed = await cadre(fixture, ["run", "break", "it", "--json"]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: "failed" });
    expect(failed.stderr).toMatch(/reason: .* \[model-error\]\nrun /);
    const late = await cadre(fixture, ["run", "hang", "on", "--timeout", "0.3"]);
    expect(late.code).toBe(124);
    expect(late.stderr).toContain("[timed-out]\nwhat to do: give it more time with --timeout");
  });

  it("refuses an endless task", async () => {
    const { code, stderr } = await cadre(project(), ["run", "reader"], "x".repeat(17 << 20));
    expect(code).toBe(2);
    expect(stderr).toContain("Expected a task of at most 16777216 bytes");
  });

  it("records the conversation of a run, and replays it", async () => {
    const fixture = project();
    const words = ["run", "hello", "again", "--json", "--model"];
    const scripted = "scripted:script.yaml";
    const recorded = await cadre(fixture, [...words, `record:talk.ndjson=${scripted}`]);
    const replayed = await cadre(fixture, [...words, "replay:talk.ndjson"]);
    const texts = [recorded, replayed].map(({ stdout }) => JSON.parse(stdout) as { text: string });
    expect(texts[0]?.text).not.toBe("");
    expect(texts[1]?.text).toBe(texts[0]?.text);
  });

  it("lets no control sequence of a model reach the terminal, and none through --json", async () => {
    const fixture = project();
    const plain = await cadre(fixture, ["run", "hostile", "one"]);
    expect(plain.stdout).toBe("red alert  end\n");
    expect(plain.stderr).toContain("red alert end");
    expect(hasControls(plain.stderr)).toBe(false);
    const json = await cadre(fixture, ["run", "hostile", "two", "--json"]);
    expect(hasControls(json.stdout)).toBe(false);
    expect((JSON.parse(json.stdout) as { text: string }).text).toContain("\u001b[31malert");
  });
});

test("without a model, `cadre run` says that the model of an untrusted folder was ignored", async () => {
  const fixture = createProject({ ".cadre/config.yaml": "model: haiku\n" });
  const { CADRE_MODEL: _, ...environment } = fixture.environment;
  const untrusted = { ...fixture, environment: { ...environment, OLLAMA_HOST: "127.0.0.1:9" } };
  const { code, stderr } = await cadre(untrusted, ["run", "say hello"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /No model to use: `model` in \S+\.cadre\/config\.yaml was ignored, because the folder is not trusted\. Read the file and run `cadre trust`, or set one of /,
  );
  fixture.write(".cadre/config.yaml", "");
  const plain = await cadre(untrusted, ["run", "say hello"]);
  expect(plain.stderr).toContain("No model to use: set one of ");
});

const greet = `
version: 1.0.0
title: Greet
description: Greets
prompt: Say hello to {{ who }}.
parameters:
  - { key: who, input_type: string, requirement: required, description: whom to greet }
`;

describe.concurrent("cadre run, used wrongly,", () => {
  const wrong: [string, string[], string][] = [
    ["an agent of an unknown pack", ["run", "pro@coder/fix"], "There is no agent pro@coder/fix"],
    ["an unknown agent", ["run", "--agent", "nope", "x"], 'Unknown agent: "nope". Available: '],
    ["a misspelt agent", ["run", "raeder"], "Did you mean `reader`?"],
    ["a missing file", ["run", "nope.md"], "there is no file"],
    ["YAML that is no recipe", ["run", "script.yaml"], "The agent script cannot be used"],
    ["a recipe without a value it needs", ["run", "greet.yaml"], "`who` (string) is missing: whom"],
    ["a parameter it does not have", ["run", "greet.yaml", "--param", "hwo=x"], "`hwo`"],
    ["a prompt file without its agents", ["run", "prompt.md"], 'Unknown agent: "a"'],
    [
      "a prompt file, and no such parameter",
      ["run", "prompt.md", "--param", "inputs=a"],
      "`inputs`",
    ],
    [
      "untrusted Lua",
      ["run", "agent.aip"],
      "agent.aip, and the modules it requires, from a folder",
    ],
    [
      "untrusted code",
      ["run", "agent.aip"],
      "(or use --trust for one run).\nIn a trusted folder, program agents",
    ],
    ["a missing recipe", ["run", "--recipe", "r.yaml"], "Expected the file of a recipe"],
    ["parameters for an agent", ["run", "reader", "x", "--param", "a=b"], "reader is not a recipe"],
    ["parameters without a value", ["run", "greet.yaml", "--param", "who"], "--param key=value"],
    [
      "a budget of an unknown unit",
      ["run", "x", "y", "--budget", "euro=1"],
      "Expected --budget as",
    ],
    ["a budget of zero", ["run", "x", "y", "--budget", "usd=0"], "Expected --budget as"],
    ["a broken agent", ["run", "broken", "x"], "broken.md:"],
    ["a bad timeout", ["run", "a", "b", "--timeout", "soon"], "Expected seconds above 0"],
    ["a bad mode", ["run", "a", "b", "--mode", "yolo"], "Expected --mode to be one of plan"],
    ["an unknown model", ["run", "a", "b", "--model", "nope:x"], "nope"],
    ["an unknown option", ["run", "--jsno", "x"], "Did you mean `--json`?"],
    ["an unknown command", ["rnu"], "Did you mean `run`?"],
    ["--json with --events", ["run", "x", "--json", "--events"], "got both"],
    ["a missing folder", ["run", "a", "b", "--cwd", "gone"], "gone"],
  ];

  it.each(wrong)(
    "refuses %s with exit code 2 and says what to do",
    async (_name, words, message) => {
      const fixture = project({
        ".cadre/agents/broken.md": "---\nname: broken\ntimeout: never\n---\nx\n",
        "prompt.md": "---\nname: prompt\ndescription: d\nsub_agents: [a]\n---\nDo it.\n",
        "agent.aip": "# Instruction\nHi\n",
        "greet.yaml": greet,
      });
      const { code, stdout, stderr } = await cadre(fixture, words);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(stdout).toBe("");
      expect(code).toBe(2);
    },
  );

  it("refuses to continue with an invalid configuration", async () => {
    const fixture = project({ ".cadre/config.yaml": "permissions:\n  mode: sometimes\n" });
    const { code, stderr } = await cadre(fixture, ["run", "a", "b"]);
    expect(stderr).toMatch(/config\.yaml:2:\d+ error/);
    expect(code).toBe(2);
  });
});

/** Reports whether text contains a control character other than a line break. */
function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cf}]/u.test(text.replaceAll("\n", ""));
}
