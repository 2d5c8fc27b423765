import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../command-line.ts";

const prompt = `\`\`\`yaml
#!meta
sub_agents:
  - reader
  - name: writer
    on: [end, reader::end]
  - name: reader
    enabled: false
\`\`\`

Do it.
`;

function projectOf(text: string): Project {
  return createProject({
    "prompt.md": text,
    ".cadre/agents/reader.md": agentFile("reader"),
    ".cadre/agents/writer.md": agentFile("writer"),
  });
}

describe.concurrent("cadre pipeline", () => {
  it("accepts a valid prompt file", async () => {
    const ended = await cadre(projectOf(prompt), ["pipeline", "check", "prompt.md"]);
    expect(ended).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });
  });

  it("reports all problems of a prompt file with file, line and column", async () => {
    const project = projectOf(
      prompt.replace("- reader", "- raeder").replace("[end,", "[end, done,"),
    );
    const { code, stdout } = await cadre(project, ["pipeline", "check", "prompt.md"]);
    expect(code).toBe(1);
    expect(stdout).toContain("prompt.md:6:15 error event-name: `sub_agents[1].on[1]`: Expected");
    expect(stdout).toContain("prompt.md:4:5 error agent-not-found: ");
    expect(stdout).toContain("Did you mean `reader`?");
    const json = await cadre(project, ["pipeline", "check", "prompt.md", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ errors: 2, warnings: 0 });
  });

  it("shows which agent runs on which event", async () => {
    const project = projectOf(prompt);
    const { code, stdout } = await cadre(project, ["pipeline", "show", "prompt.md"]);
    expect(code).toBe(0);
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3).join(" "));
    expect(rows).toEqual([
      "EVENT ORDER AGENT",
      "start 1 reader",
      "task::start - -",
      "task::end - -",
      "end 1 writer",
      "reader::end 1 writer",
      "- - reader",
      "",
    ]);
    const json = await cadre(project, ["pipeline", "show", "prompt.md", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      instruction: "Do it.",
      events: [{ event: "start", agents: [{ name: "reader" }] }, {}, {}, {}, {}],
      disabled: [{ name: "reader" }],
    });
  });

  it("reports a missing file", async () => {
    const project = projectOf(prompt);
    const { code, stdout } = await cadre(project, ["pipeline", "check", "none.md"]);
    expect(code).toBe(1);
    expect(stdout).toContain("none.md:1:1 error not-found");
    const shown = await cadre(project, ["pipeline", "show", "none.md"]);
    expect(shown).toMatchObject({ code: 1, stdout: "" });
    expect(shown.stderr).toContain("none.md:1:1 error not-found");
  });

  it("treats the same files as prompt files as `check` and `run` do", async () => {
    const broken = projectOf(prompt.replace("[end,", "[done,"));
    const check = await cadre(broken, ["check", "prompt.md"]);
    expect(check).toMatchObject({ code: 1 });
    expect(check.stdout).toContain(
      "prompt.md:6:10 error event-name: `sub_agents[1].on[0]`: Expected",
    );
    const run = await cadre(broken, ["run", "prompt.md"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(
      "prompt.md:6:10 error event-name: `sub_agents[1].on[0]`: Expected",
    );
  });

  it("shows the instruction while it runs, and the changed files and results at the end", async () => {
    const project = createProject({
      "prompt.md":
        "---\nsub_agents:\n  - { name: reviewer, on: end }\ncontext_globs: [a.txt]\n---\nFix a.txt.\n",
      ".cadre/agents/reviewer.md": agentFile("reviewer"),
      "a.txt": "the content of a",
      "script.yaml": JSON.stringify({
        scripts: [
          {
            when: { agent: "reviewer" },
            reply: { calls: [{ tool: "final_output", input: { agent_result: "It is right." } }] },
          },
          {
            when: { turn: 0 },
            reply: {
              calls: [{ tool: "Write", input: { file_path: "new.txt", content: "fixed" } }],
            },
          },
          { reply: { text: "Fixed." } },
        ],
      }),
    });
    const { code, stdout, stderr } = await cadre(project, ["run", "prompt.md", "--mode", "auto"]);
    expect([code, stdout]).toEqual([0, "Fixed.\n"]);
    expect(stderr).toMatch(/main \(coder\) started: Fix a\.txt\.\n/);
    expect(stderr).toMatch(/reviewer \(end\) started: Fix a\.txt\.\n/);
    expect(stderr).toContain("\nchanged: new.txt\nreviewer (end): It is right.\n");
    const listed = await cadre(project, ["runs", "--all"]);
    expect(listed.stdout.match(/ Fix a\.txt\.$/gm)).toHaveLength(3);
  });

  it("adds words and parameters, and runs a Markdown file without parameters as an instruction", async () => {
    const project = createProject({
      "ask.md": "---\ncontext_globs: []\n---\nTell me.\n",
      "plain.md": "Only words.\n",
      "a.txt": "the content of a",
      "script.yaml": "scripts:\n  - reply: { text: 'asked: {{task}}' }\n",
    });
    const words = ["run", "ask.md", "In", "short.", "--param", 'context_globs=["a.txt"]'];
    const asked = await cadre(project, [...words, "--mode", "auto"]);
    expect(asked.stdout).toContain("the content of a");
    expect(asked.stdout).toContain("Tell me.\n\nIn short.");
    const plain = await cadre(project, ["run", "plain.md", "--json"]);
    expect(JSON.parse(plain.stdout)).toMatchObject({
      status: "succeeded",
      text: "asked: Only words.",
    });
  });
});
