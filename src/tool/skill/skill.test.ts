import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureCpu } from "../../../test/fixtures/cpu-time.ts";
import { createToolFixture, temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { createBuiltinTools } from "../builtin/builtin-tools.ts";
import { findSkills } from "./skill.ts";
import { readSkillHeader } from "./skill-header.ts";
import type { Tool } from "../tool.ts";

function addSkill(root: string, place: string, text: string): void {
  mkdirSync(join(root, place), { recursive: true });
  writeFileSync(join(root, place, "SKILL.md"), text);
}

const withDescription = (description: string): string =>
  `---\nname: x\ndescription: ${description}\n---\nBody.\n`;

test("finds the skills of the project and the home folder, the project's first", async () => {
  const [project, home] = [temporaryFolder(), temporaryFolder()];
  addSkill(project, ".claude/skills/review", withDescription("project's"));
  addSkill(project, ".cadre/skills/review", withDescription("native"));
  addSkill(home, ".cadre/skills/review", withDescription("home's"));
  addSkill(home, ".acai/skills/deploy", withDescription("ship it"));
  mkdirSync(join(home, ".acai/skills/empty"));
  const skills = await findSkills(project, home);
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ["deploy", "ship it"],
    ["review", "native"],
  ]);
});

test("does not follow a project's symlink out of the project", async () => {
  const [project, outside] = [temporaryFolder(), temporaryFolder()];
  addSkill(outside, "evil", withDescription("x"));
  mkdirSync(join(project, ".cadre/skills"), { recursive: true });
  symlinkSync(join(outside, "evil"), join(project, ".cadre/skills/evil"));
  expect(await findSkills(project, temporaryFolder())).toEqual([]);
});

test.each([
  ["plain: with colons", "plain: with colons"],
  ['"quoted"', "quoted"],
  [">\n  folded\n  text", "folded text"],
  ["one\n  two", "one two"],
])("reads the description %j", (written, description) => {
  expect(readSkillHeader(withDescription(written))).toEqual({ description, body: "Body.\n" });
});

test("accepts a file without frontmatter", () => {
  expect(readSkillHeader("Just text.")).toEqual({ description: "", body: "Just text." });
});

test("loads a skill, lists the available ones, and makes their files readable", async () => {
  const fixture = createToolFixture();
  const home = temporaryFolder();
  addSkill(home, ".claude/skills/deploy", withDescription("ship it"));
  writeFileSync(join(home, ".claude/skills/deploy/steps.txt"), "step one");
  const tools = await createBuiltinTools({ workspace: fixture.workspace, home });
  const [skill, read] = ["Skill", "Read"].map((name) => tools.find((tool) => tool.name === name));
  if (skill === undefined || read === undefined) throw new Error("a tool is missing");
  expect(skill.description).toContain("- deploy: ship it");
  expect((await fixture.call(skill, { skill: "deploy" })).text).toBe(
    `Skill deploy, files in ${home}/.claude/skills/deploy:\n\nBody.`,
  );
  expect((await fixture.call(skill, { skill: "nope" })).text).toContain(
    'no skill "nope". Available skills: deploy',
  );
  expect(
    (await fixture.call(read, { file_path: `${home}/.claude/skills/deploy/steps.txt` })).text,
  ).toContain("step one");
});

test("creates every built-in tool quickly, with a schema the model can use", async () => {
  const folders = { workspace: temporaryFolder(), home: temporaryFolder() };
  let tools: Tool[] = [];
  const cpuMs = await measureCpu(async () => (tools = await createBuiltinTools(folders)));
  // About 5 ms; the rest is for slow processors.
  expect(cpuMs).toBeLessThan(200);
  const names =
    "Read Edit Write Bash Grep Glob LS DirectoryTree Think TodoWrite Skill WebFetch WebSearch";
  expect(tools.map(({ name }) => name).join(" ")).toBe(names);
  for (const { inputSchema, description } of tools) {
    expect(inputSchema["type"]).toBe("object");
    expect(description.length).toBeGreaterThan(20);
  }
  const think = tools.find(({ name }) => name === "Think");
  if (think === undefined) throw new Error("Think is missing");
  expect((await createToolFixture().call(think, { thought: "hm" })).text).toBe("Noted.");
});
