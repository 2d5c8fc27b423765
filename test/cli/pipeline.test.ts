import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "./command-line.ts";

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
  it("checks a prompt file that is right", async () => {
    const ended = await cadre(projectOf(prompt), ["pipeline", "check", "prompt.md"]);
    expect(ended).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });
  });

  it("names everything wrong with one by file, line and column", async () => {
    const place = projectOf(prompt.replace("- reader", "- raeder").replace("[end,", "[end, done,"));
    const { code, stdout } = await cadre(place, ["pipeline", "check", "prompt.md"]);
    expect(code).toBe(1);
    expect(stdout).toContain("prompt.md:6:15 error event-name: Expected");
    expect(stdout).toContain("prompt.md:4:5 error agent-not-found: ");
    expect(stdout).toContain("Did you mean `reader`?");
    const json = await cadre(place, ["pipeline", "check", "prompt.md", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ errors: 2, warnings: 0 });
  });

  it("shows which agent runs on which event", async () => {
    const place = projectOf(prompt);
    const { code, stdout } = await cadre(place, ["pipeline", "show", "prompt.md"]);
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
    const json = await cadre(place, ["pipeline", "show", "prompt.md", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      instruction: "Do it.",
      events: [{ event: "start", agents: [{ name: "reader" }] }, {}, {}, {}, {}],
      disabled: [{ name: "reader" }],
    });
  });

  it("says that a file is not there", async () => {
    const { code, stdout } = await cadre(projectOf(prompt), ["pipeline", "check", "none.md"]);
    expect(code).toBe(1);
    expect(stdout).toContain("none.md:1:1 error not-found");
  });
});
