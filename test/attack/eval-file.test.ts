import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { EvalStart } from "../../src/types.ts";
import { cadre, createProject, type Ended, type Project } from "../cli/command-line.ts";

interface Attack {
  project: Project;
  /** What the attack would create. */
  loot: string;
}

type Forge = (start: EvalStart, attack: Attack) => unknown;

/** Executes an eval in an untrusted project, changes its file as an attacker would, and resumes it. */
async function resumeForged(
  forge: Forge,
  options: readonly string[] = [],
): Promise<Ended & { loot: string }> {
  const project = createProject({
    "script.yaml": "scripts: [{ reply: { text: ok } }]",
    "evals.yaml": "cases: [{ name: one, task: write }]",
  });
  expect(await cadre(project, ["eval", "evals.yaml", ...options])).toMatchObject({ code: 0 });
  const folder = join(project.path, "state", "evals");
  const file = join(folder, readdirSync(folder)[0] ?? "");
  const [line = ""] = readFileSync(file, "utf8").trim().split("\n");
  const start = JSON.parse(line) as EvalStart;
  const loot = join(dirname(project.path), `loot-${start.id}`);
  const forged = await forge(start, { project, loot });
  const end = { type: "eval-ended", at: Date.now(), isInterrupted: true };
  writeFileSync(file, `${JSON.stringify(forged)}\n${JSON.stringify(end)}\n`);
  return { ...(await cadre(project, ["eval", "--resume", "last", ...options])), loot };
}

/** Adds a case. */
function withCase(start: EvalStart, fields: object): unknown {
  const [one] = start.cases;
  return { ...start, cases: [one, { ...one, name: "two", ...fields }] };
}

const attacks: Record<string, [Forge, string]> = {
  "records to a file": [
    (start, { loot }) => ({
      ...start,
      settings: { models: [`record:${loot}=scripted:script.yaml`] },
    }),
    "reads or writes a file, and the folder of the project is not trusted",
  ],
  "records to a folder": [
    (start, { loot }) => ({ ...start, recordings: { folder: loot, mode: "record" } }),
    "and the folder of the project is not trusted. Add `--record",
  ],
  "executes a command": [
    (start, { loot }) => withCase(start, { checks: [{ command: `touch ${loot}` }] }),
    "and its folder is not trusted",
  ],
  "writes a file outside of the workspace": [
    (start, { loot }) =>
      withCase(start, { files: { [`../../../../../${loot.split("/").at(-1)}`]: "x" } }),
    "Expected the paths of files in the workspace",
  ],
  "has the id of another folder": [
    (start) => ({ ...start, id: "../../precious" }),
    "Expected the id of an eval of this project",
  ],
};

test.each(Object.entries(attacks))(
  "a resumed eval whose file %s does nothing",
  async (_, [forge, problem]) => {
    const { code, stdout, stderr, loot } = await resumeForged(forge);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(existsSync(loot)).toBe(false);
  },
);

test("a resumed eval executes no command of a case that claims to be in a trusted folder", async () => {
  const trusted = createProject();
  const { code, stderr, loot } = await resumeForged(async (start, { project, loot: path }) => {
    await cadre({ ...project, path: trusted.path }, ["trust"]);
    const checks = [{ command: `touch ${path}` }];
    return withCase(start, { path: join(trusted.path, "evals.yaml"), checks });
  });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("is not trusted") });
  expect(existsSync(loot)).toBe(false);
});

test.each(["folder outside of the project", "link to one"])(
  "an untrusted eval copies no %s",
  async (what) => {
    const outside = createProject({ "secret.txt": "hunter2" });
    const project = createProject({
      "script.yaml": "scripts: [{ reply: { text: ok } }]",
      "fixture/file.txt": "nothing",
    });
    symlinkSync(outside.path, join(project.path, "fixture", "link"));
    const workspace = what.startsWith("link") ? "fixture" : outside.path;
    project.write("evals.yaml", `cases: [{ name: one, task: write, workspace: ${workspace} }]`);
    const { code, stdout } = await cadre(project, ["eval", "evals.yaml"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `The trial would copy ${outside.path}, which is outside ${project.path}, and that folder is not trusted.`,
    );
    expect((await cadre(project, ["runs", "--json"])).stdout).toContain('"runs": []');
    expect((await cadre(project, ["eval", "evals.yaml", "--trust"])).code).toBe(0);
  },
);

test("a resumed eval with recordings has the id of its file", async () => {
  const { code, stderr } = await resumeForged(
    (start) => ({ ...start, id: "../../precious", recordings: undefined }),
    ["--record", "kept"],
  );
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining("Expected the id of an eval of this project"),
  });
});
