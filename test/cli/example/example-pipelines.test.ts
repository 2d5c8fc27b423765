import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunResult } from "../../../src/index.ts";
import { cadre, createProject, type Project, root } from "../command-line.ts";

const folder = join(root, "examples/03-pipelines");

/** Runs a prompt file of the example as its README says, in a copy of the folder. */
async function runExample(
  name: string,
): Promise<{ result: RunResult; labels: string[]; project: Project }> {
  const project = createProject();
  cpSync(folder, project.path, { recursive: true });
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, command = ""] = new RegExp(`^ {4}cadre (run ${name}.*)$`, "m").exec(readme) ?? [];
  const { code, stdout, stderr } = await cadre(project, [...command.split(" "), "--json"]);
  expect(stderr).not.toContain("warning");
  expect(code).toBe(0);
  const runs = await cadre(project, ["runs", "--all", "--json"]);
  const listed = (JSON.parse(runs.stdout) as { runs: { agent: string; label: string | null }[] })
    .runs;
  const labels = listed.map(({ agent, label }) => `${agent} ${label}`).toReversed();
  return { result: JSON.parse(stdout) as RunResult, labels, project };
}

describe.concurrent("the example pipelines run without a model, as their README says:", () => {
  it("events that agents emit", async () => {
    const { result, labels, project } = await runExample("1-events.md");
    expect(labels).toEqual([
      "1-events.md null",
      "scout start",
      "planner scout::found",
      "record planner::done",
      "main coder",
      "record end",
    ]);
    expect(result).toMatchObject({ output: { files_changed: ["shop/price.js"] } });
    expect(readFileSync(join(project.path, "shop/price.js"), "utf8")).toContain("if (count < 1)");
  });

  it("a task for each input", async () => {
    const { result, labels } = await runExample("2-tasks.md");
    expect(result).toMatchObject({
      output: {
        responses: [
          { input: "Say in one sentence what the shop sells.", text: "We sell tea." },
          { input: "shop/notes/delay.md", text: "We are sorry: it arrives tomorrow." },
          { input: "shop/notes/thanks.md", text: "Thank you for telling us!" },
        ],
      },
    });
    expect(labels.filter((label) => label.startsWith("main coder"))).toHaveLength(3);
    expect(labels.at(-1)).toBe("record end");
  });

  it("sub_agents_next", async () => {
    const { result, labels, project } = await runExample("3-next.md");
    expect(labels.slice(1)).toEqual(["router start", "main coder", "auditor end", "record end"]);
    expect(result).toMatchObject({
      output: { sub_agents: [{}, { agent_result: "The sums are rounded." }, {}] },
    });
    expect(readFileSync(join(project.path, "shop/price.js"), "utf8")).toContain("Math.round");
  });

  it("and a listing of the agents of each event", async () => {
    const project = createProject();
    cpSync(folder, project.path, { recursive: true });
    for (const name of ["1-events.md", "2-tasks.md", "3-next.md"]) {
      const { code, stdout } = await cadre(project, ["pipeline", "check", name, "--trust"]);
      expect([code, stdout]).toEqual([0, "0 errors, 0 warnings\n"]);
    }
  });
});
