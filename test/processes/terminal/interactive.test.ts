import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cadre, createProject } from "../../cli/command-line.ts";
import { onTerminal } from "../../cli/on-terminal.ts";
import { readScreen } from "../../cli/screen.ts";

const question = "r: run it again, q: quit [r/q] ";
const prompt = "---\nwrite_answer: true\n---\n\nSay it.\n";
const many = Array.from({ length: 30 }, (_, number) => `'file-${number}'`).join(", ");

describe.concurrent("cadre run --interactive", () => {
  it("runs the current prompt file again at `r`, and quits at `q`", async () => {
    const project = createProject({
      "prompt.md": prompt,
      "script.yaml": "scripts:\n  - reply: { text: 'heard {{task}}' }\n",
    });
    const { code, stdout } = await onTerminal(
      project,
      ["run", "prompt.md", "--interactive", "--mode", "accept-edits"],
      [
        [question, "r"],
        [question, "x"],
        [question, "q"],
      ],
    );
    expect(code).toBe(0);
    const shown = readScreen(stdout).join("\n");
    expect(shown.split("succeeded: 2 runs")).toHaveLength(3);
    const file = readFileSync(join(project.path, "prompt.md"), "utf8");
    expect(file.match(/^> Run: /gm)).toHaveLength(2);
  });

  it("continues after an invalid file, and exits with the code of the last run", async () => {
    const project = createProject({
      "broken.md": "---\nmodel: [\n---\n\nSay it.\n",
      "script.yaml": "scripts:\n  - reply: { text: ok }\n",
    });
    const { code, stdout } = await onTerminal(
      project,
      ["run", "broken.md", "--interactive"],
      [
        [question, "r"],
        [question, "\u0003"],
      ],
    );
    expect(code).toBe(2);
    expect(readScreen(stdout).join("\n").split("cadre: ")).toHaveLength(3);
  });

  it("needs a terminal, and refuses --json", async () => {
    const project = createProject({ "prompt.md": prompt });
    const without = await cadre(project, ["run", "prompt.md", "--interactive"]);
    expect(without).toMatchObject({ code: 2 });
    expect(without.stderr).toContain("Expected a terminal for --interactive");
    const both = await cadre(project, ["run", "prompt.md", "--interactive", "--json"]);
    expect(both.stderr).toContain("Expected --interactive or --json; got both.");
  });
});

it("long JSON is replaced by one line on a terminal, which says where to read it", async () => {
  const project = createProject({
    "list.aip": `# Output\n\`\`\`lua\nreturn { ${many} }\n\`\`\`\n`,
    "script.yaml": "scripts: []\n",
  });
  const { code, stdout } = await onTerminal(project, ["run", "list.aip", "--trust"]);
  expect(code).toBe(0);
  const shown = readScreen(stdout).join("\n");
  expect(shown).toMatch(/The result is JSON \(32 lines, \d+ characters\): read it with/);
  expect(shown).not.toContain('"file-29"\n]');
});
