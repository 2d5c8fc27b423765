import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../command-line.ts";

const each = `# Data

\`\`\`lua
return type(input) == "table" and input.path .. ":" .. input.size or input
\`\`\`

# Output

\`\`\`lua
return "got " .. data
\`\`\`
`;

function createFixture(): Project {
  return createProject({
    "each.aip": each,
    "src/a.ts": "12345",
    "src/b/c.ts": "123",
    "src/d.js": "1",
    ".cadre/agents/reader.md": agentFile("reader"),
    "graph.yaml": "runs: [{ label: a, agent: reader, task: t }]\n",
    "script.yaml": 'scripts: [{ reply: { text: "did {{task}}" } }]',
  });
}

describe.concurrent("cadre run FILE.aip", () => {
  it("runs the agent on each --input, or on each file of --on-files", async () => {
    const project = createFixture();
    for (const [given, stdout] of [
      [["--input", "x", "-i", "y z"], "got x\n\ngot y z\n"],
      [["--on-files", "src/**/*.ts"], "got src/a.ts:5\n\ngot src/b/c.ts:3\n"],
      [["-f", "src/*.js", "-f", "src/*.ts"], "got src/d.js:1\n\ngot src/a.ts:5\n"],
    ] as const) {
      const ended = await cadre(project, ["run", "each.aip", "--trust", ...given]);
      expect(ended).toMatchObject({ code: 0, stdout });
    }
  });

  it.each([
    [["run", "each.aip", "word", "-i", "x"], "Expected --input or words"],
    [["run", "each.aip", "-i", "x", "-f", "*"], "Expected --input or --on-files; got both"],
    [["run", "each.aip", "-f", "*.py"], "matches *.py."],
    [["run", "each.aip", "-f", "../*"], "is outside the workspace"],
    [["run", "reader", "-i", "x"], "reader is not an .aip agent and takes a task instead"],
    [["run", "graph.yaml", "-f", "*"], "a graph's file defines the inputs of its runs"],
  ])("reports the problem of cadre %s", async (words, problem) => {
    const { code, stdout, stderr } = await cadre(createFixture(), [...words, "--trust"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(problem);
  });
});

describe.concurrent("cadre run NAMESPACE@PACK", () => {
  it.each([
    [["a@b@c"], "Expected a pack as NAMESPACE@PACK"],
    [["my@tool"], "There is no agent my@tool: the pack has my@tool/in/deep."],
    [["my@none"], "There is no agent my@none: no pack with this name is in .aipack/custom"],
    [
      ["my@none", "do it"],
      "There is no agent my@none: no pack with this name is in .aipack/custom",
    ],
    [["my@tool/in/deeq"], "Did you mean `my@tool/in/deep`?"],
  ])("reports the problem of %s", async (words, problem) => {
    const project = createProject({ ".aipack/custom/my/tool/in/deep.aip": each });
    const { code, stderr } = await cadre(project, ["run", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});

describe.concurrent("cadre check FILE.aip", () => {
  it("reads the code of files and folders without executing it", async () => {
    const project = createProject({
      "aips/bad.aip": "# Data\n```lua\nlocal x = = 1\n```\n# User\n{{#if x}}\n",
      "aips/in/warn.aip": "# Data\n```lua\nerror(aip.editor.open_file('x'))\n```\n",
      "good.aip": each,
    });
    const found = [
      "aips/bad.aip:3:1 error aip-lua: Expected Lua: unexpected symbol near '='.",
      "aips/bad.aip:6:1 error aip-template: Expected a Handlebars template.",
      "aips/in/warn.aip:3:1 warning aip-unsupported: aip.editor.open_file is not supported",
    ];
    for (const paths of [["aips"], ["aips/bad.aip", "aips/in/warn.aip", "good.aip"]]) {
      const { code, stdout } = await cadre(project, ["check", ...paths]);
      expect(code).toBe(1);
      for (const one of found) expect(stdout).toContain(one);
      expect(stdout).toContain("2 errors, 1 warning\n");
    }
    const good = await cadre(project, ["check", "good.aip"]);
    expect(good).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });
  });
});
