import { describe, expect, test } from "vitest";
import type { RunResult } from "../../src/index.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

const review = ".claude/skills/review/SKILL.md";
const skill = (text: string): string => `---\nname: review\ndescription: Reviews.\n---\n${text}\n`;

async function open(fields: Record<string, unknown>) {
  const server = await startModelServer(() => "done");
  const project = createModelProject(server);
  project.write(review, skill("Read {{task}} twice."));
  project.writeAgent("worker", { tools: ["Read"], ...fields });
  return { server, project };
}

async function run(project: ModelProject): Promise<RunResult> {
  const cadre = await project.open();
  return await (await cadre.spawn({ agent: "worker", task: "look" })).result();
}

describe("the skills a definition names", () => {
  test("are in its instructions unchanged, with or without the tool", async () => {
    const { server, project } = await open({ skills: ["review"] });
    const { warnings } = await run(project);
    expect(warnings).toEqual([]);
    const folder = `${project.folder}/.claude/skills/review`;
    expect(server.turns[0]?.system).toMatch(
      new RegExp(
        `^You are worker\\.\\s+Skill review, files in ${folder}:\n\nRead {{task}} twice\\.\n\n# Env`,
      ),
    );
    expect(server.turns[0]?.task).toBe("look");
  });

  test("cause a warning if they do not exist, with the existing ones", async () => {
    const { server, project } = await open({ skills: ["reviews", "reviews"] });
    const { status, warnings } = await run(project);
    expect(status).toBe("succeeded");
    expect(warnings).toEqual([
      "Agent worker names the skill `reviews`, which does not exist. It runs without the skill. Available: review. Did you mean `review`?",
    ]);
    expect(server.turns[0]?.system).not.toContain("Skill");
  });

  test("are part of what a cached result depends on", async () => {
    const { server, project } = await open({ skills: ["review"], cache: true });
    await run(project);
    await run(project);
    expect(server.turns).toHaveLength(1);
    project.write(review, skill("Read it once."));
    await run(project);
    expect(server.turns).toHaveLength(2);
  });
});
