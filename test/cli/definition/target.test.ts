import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../command-line.ts";

const script = `scripts:
  - when: { agent: reader }
    reply: { text: "read {{task}}" }
  - when: { system: "Also to Ada." }
    reply: { text: "greeted both" }
  - reply: { text: "did {{task}}" }
`;

const recipe = `version: 1.0.0
title: Greet
description: Greets
prompt: Say hello.
`;

function project(files: Readonly<Record<string, string>> = {}): Project {
  return createProject({
    "script.yaml": script,
    ".cadre/agents/reader.md": agentFile("reader"),
    ...files,
  });
}

describe.concurrent("the first word of `cadre run`", () => {
  it("that resembles an agent's name is refused, and nothing runs", async () => {
    const fixture = project();
    const { code, stdout, stderr } = await cadre(fixture, ["run", "raeder", "a", "book"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      'cadre: There is no agent raeder. Did you mean `reader`? If it is a task: cadre run "raeder a book"\n',
    );
    expect(JSON.parse((await cadre(fixture, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
  });

  it("that resembles a command is refused", async () => {
    const { code, stderr } = await cadre(project(), ["run", "chekc", "it"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Did you mean `cadre check`?");
  });

  it("may be a task that is longer than any path", async () => {
    const task = "x".repeat(5000);
    const { code, stdout } = await cadre(project(), ["run", task]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `did ${task}\n` });
  });

  it("may be a file with its extension in any case, for check too", async () => {
    const files = {
      "PROMPT.MD": "Say it.\n",
      "GREET.YAML": recipe,
      "Agent.MD": agentFile("Agent"),
    };
    const fixture = project(files);
    expect((await cadre(fixture, ["run", "PROMPT.MD"])).stderr).toContain("PROMPT.MD succeeded");
    expect((await cadre(fixture, ["run", "GREET.YAML"])).stdout).toContain("did Say hello.");
    const checked = await cadre(fixture, ["check", ...Object.keys(files)]);
    expect(checked.stdout).not.toContain("not-an-agent");
  });
});

describe.concurrent("standard input of `cadre run`", () => {
  it("is added to the words, for every kind of agent", async () => {
    const fixture = project({ ".cadre/recipes/greeting.yaml": recipe });
    const run = async (words: string[], input: string): Promise<string> =>
      (await cadre(fixture, ["run", ...words], input)).stdout;
    const answers = await Promise.all([
      run(["reader", "only", "the", "end"], "a\nb\n"),
      run(["what is this"], "a"),
      run(["reader", "x"], " \n"),
      run(["greeting"], "Also to Ada."),
    ]);
    expect(answers).toEqual([
      "read only the end\n\na\nb\n\n",
      "did what is this\n\na\n",
      "read x\n",
      "greeted both\n",
    ]);
  });
});
