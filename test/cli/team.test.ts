import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, root } from "./command-line.ts";

const folder = join(root, "examples/11-team");

/** Returns the words of a command line in the README. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]+)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

describe.concurrent("a team on the command line", () => {
  it("the example works without a model as its README says", async () => {
    const project = createProject();
    cpSync(folder, project.path, { recursive: true });
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const lines = [...readme.matchAll(/^ {4}cadre (.*)$/gm)].map(([, line = ""]) => line);
    const outputs: string[] = [];
    for (const line of lines) outputs.push((await cadre(project, wordsOf(line))).stdout);
    expect(outputs).toHaveLength(3);
    expect(outputs[0]).toBe(
      "Teapots pour better when the lid has a hole. Kettles whistle at one hundred degrees.\n",
    );
    expect(outputs[1]).toMatch(/\nBoard: 3 of 3 done\n {2}teapot \[done by worker \(w[12]\)\]/);
    expect(outputs[2]).toMatch(/^teapot \[done by worker \(w[12]\)\] Describe notes\/teapot\.md\n/);
    const { stdout } = await cadre(project, ["board", "last", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: [{}, {}, { id: "sum", status: "done" }] });
  });

  it("`run --team` makes the run a member, and control characters of tasks are not written", async () => {
    const title = "\u001b[31mred";
    const add = { tool: "board_add", input: { tasks: [{ title }] } };
    const project = createProject({
      "script.json": JSON.stringify({
        scripts: [{ when: { turn: 0 }, reply: { calls: [add] } }, { reply: { text: "added" } }],
      }),
      ".cadre/agents/one.md": agentFile("one"),
    });
    await cadre(project, ["run", "--team", "one", "go", "--model", "scripted:script.json"]);
    const { stdout, code } = await cadre(project, ["board", "last"]);
    expect(stdout).toMatch(/^t1 \[open\] .*red\n0 of 1 done, 1 open\n$/);
    expect(stdout).not.toContain("\u001b");
    expect(code).toBe(0);
  });

  it("says when there is no board", async () => {
    const project = createProject({
      "script.yaml": "scripts: [{ reply: { text: hi } }]",
      ".cadre/agents/one.md": agentFile("one"),
    });
    await cadre(project, ["run", "one", "go", "--model", "scripted:script.yaml"]);
    expect(await cadre(project, ["board", "last"])).toMatchObject({
      code: 0,
      stdout: "The family has no task board, or an empty one.\n",
    });
    expect(await cadre(project, ["board", "nobody"])).toMatchObject({ code: 2 });
  });
});
