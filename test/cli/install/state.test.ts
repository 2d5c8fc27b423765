import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRegistry } from "../../../src/registry/sqlite/sqlite-registry.ts";
import { cadre, createProject, type Project } from "../command-line.ts";

const script = `
scripts:
  - when: { task: talk, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "yes | head -40000" } }] }
  - reply: { text: done }
`;

/** Creates a project with its registry in the default folder. */
function createPlain(): Project {
  const project = createProject({ "script.yaml": script });
  delete project.environment["CADRE_STATE_DIR"];
  return project;
}

/** Creates a project with a registry in the folder of earlier versions. Its run is called `early`. */
async function createOld(): Promise<Project & { old: string }> {
  const project = createPlain();
  const old = join(project.path, ".cadre", "state");
  const environment = { ...project.environment, CADRE_STATE_DIR: old };
  await cadre({ ...project, environment }, ["run", "go", "--label", "early"]);
  return { ...project, old };
}

function statesIn({ home }: Project): string[] {
  const folder = join(home, ".local", "state", "cadre", "projects");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

describe.concurrent("where runs are kept", () => {
  it("is a folder of the user for each project, which no other user can read", async () => {
    const project = createPlain();
    expect((await cadre(project, ["run", "go"])).code).toBe(0);
    const [folder = ""] = statesIn(project);
    expect(readdirSync(project.path)).not.toContain(".cadre");
    for (const path of [folder, join(folder, ".."), join(folder, "..", "..")]) {
      expect(statSync(path).mode & 0o077).toBe(0);
    }
    const { stdout } = await cadre(project, ["config"]);
    expect(stdout).toContain(
      `Runs are kept in ${folder} (default for the project ${project.path})`,
    );
    const json = JSON.parse((await cadre(project, ["config", "--json"])).stdout) as object;
    expect(json).toMatchObject({
      stateFolder: folder,
      settings: { stateDir: { origin: `default for the project ${project.path}` } },
    });
  });

  it("is the same through any link to the project, and differs for another project", async () => {
    const project = createPlain();
    const link = join(project.home, "link");
    symlinkSync(project.path, link);
    await cadre({ ...project, path: link }, ["run", "go"]);
    await cadre(project, ["run", "go"]);
    expect(statesIn(project)).toHaveLength(1);
    const other = join(project.home, "other");
    mkdirSync(other);
    const environment = {
      ...project.environment,
      CADRE_MODEL: `scripted:${join(project.path, "script.yaml")}`,
    };
    await cadre({ ...project, path: other, environment }, ["run", "go"]);
    expect(statesIn(project)).toHaveLength(2);
  });

  it("is as private in CADRE_STATE_DIR, and shown with its origin", async () => {
    const project = createPlain();
    const folder = join(project.home, "a", "b");
    project.environment["CADRE_STATE_DIR"] = folder;
    await cadre(project, ["run", "go"]);
    for (const path of [folder, join(folder, "..")]) expect(statSync(path).mode & 0o077).toBe(0);
    const { stdout } = await cadre(project, ["config"]);
    expect(stdout).toContain(`Runs are kept in ${folder} (environment CADRE_STATE_DIR)`);
  });

  it("is missing without a home folder, and the error says what to set", async () => {
    const project = createPlain();
    const nobody = join(project.home, "nobody");
    project.environment["HOME"] = nobody;
    const missing = await cadre(project, ["run", "go"]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/Expected the home folder .* to exist.*CADRE_STATE_DIR/);
    expect(existsSync(nobody)).toBe(false);
    project.environment["HOME"] = "";
    const empty = await cadre(project, ["run", "go"]);
    expect(empty.stderr).toContain("Expected HOME to be an absolute path");
    expect(readdirSync(project.path).toSorted()).toEqual([".git", "script.yaml"]);
    project.environment["HOME"] = project.home;
    project.environment["XDG_STATE_HOME"] = project.write("file", "");
    const blocked = await cadre(project, ["run", "go"]);
    expect(blocked.stderr).toMatch(/Expected a folder for runs .*CADRE_STATE_DIR/);
    // A file instead of a folder is not a project without runs.
    const listed = await cadre(project, ["runs"]);
    expect(listed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/file is not a folder/),
    });
  });

  it("is never the root of a file system, even for a command started there", async () => {
    const project = createPlain();
    const before = readdirSync("/");
    const environment = {
      ...project.environment,
      CADRE_MODEL: `scripted:${join(project.path, "script.yaml")}`,
    };
    const { code, stderr } = await cadre({ ...project, path: "/", environment }, ["run", "go"]);
    expect(code, stderr).toBe(0);
    expect(statesIn(project)).toEqual([expect.stringMatching(/\/root-[0-9a-f]{16}$/)]);
    expect(readdirSync("/")).toEqual(before);
  });

  it("loses the outputs of pruned families", async () => {
    const project = createPlain();
    const run = ["run", "talk", "--mode", "auto", "--sandbox", "off", "--json"];
    const { stdout } = await cadre(project, run);
    const { runId } = JSON.parse(stdout) as { runId: string };
    const [folder = ""] = statesIn(project);
    const outputs = join(folder, "outputs");
    expect(readdirSync(join(outputs, runId, runId))).not.toEqual([]);
    await cadre(project, ["prune", "--older-than", "0s"]);
    expect(readdirSync(outputs)).toEqual([]);
  });
});

describe.concurrent("a registry that an earlier version kept in the project", () => {
  it("is moved once the project is trusted, and one line says so", async () => {
    const { old, ...project } = await createOld();
    await cadre(project, ["trust"]);
    const first = await cadre(project, ["runs"]);
    expect(first.stdout).toContain("early");
    expect(first.stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /info state-moved: The runs of this project were moved to .* and are kept there/,
      ),
    ]);
    expect(existsSync(old)).toBe(false);
    const second = await cadre(project, ["runs"]);
    expect(second.stdout).toContain("early");
    expect(second.stderr).toBe("");
  });

  it("is not moved or read in an untrusted project, even with a one-time --trust", async () => {
    const { old, ...project } = await createOld();
    const { stdout, stderr } = await cadre(project, ["runs"]);
    expect(stdout).not.toContain("early");
    expect(stderr).toMatch(/warning state-not-trusted: .*type `cadre trust`/);
    const run = await cadre(project, ["run", "go", "--trust"]);
    expect(run.stderr).toContain("state-not-trusted");
    expect(existsSync(join(old, "cadre.db"))).toBe(true);
    // Another registry exists by now and stays in use.
    await cadre(project, ["trust"]);
    const later = await cadre(project, ["runs"]);
    expect(later.stdout).not.toContain("early");
    expect(later.stderr).toMatch(/warning state-left: .*CADRE_STATE_DIR=/);
  });

  it("is not moved while a process has it open, and nothing runs meanwhile", async () => {
    const { old, ...project } = await createOld();
    await cadre(project, ["trust"]);
    const registry = openRegistry({ path: join(old, "cadre.db") });
    const refused = await cadre(project, ["run", "go"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/error state-not-moved: .*Another process has the registry/);
    expect(statesIn(project)).toEqual([]);
    await registry.close();
    expect((await cadre(project, ["runs"])).stdout).toContain("early");
  });

  it("is not searched through links", async () => {
    const { old, ...project } = await createOld();
    await cadre(project, ["trust"]);
    const other = createPlain();
    mkdirSync(join(other.path, ".cadre"));
    symlinkSync(old, join(other.path, ".cadre", "state"));
    await cadre(other, ["trust"]);
    const { code, stderr } = await cadre(other, ["runs"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/state-not-moved: .*is a symlink/);
    expect(existsSync(join(old, "cadre.db"))).toBe(true);
  });

  it("stays where it is configured to be", async () => {
    const { old, ...project } = await createOld();
    await cadre(project, ["trust"]);
    project.write(".cadre/config.yaml", "stateDir: .cadre/state\n");
    const { stdout, stderr } = await cadre(project, ["runs"]);
    expect(stdout).toContain("early");
    expect(stderr).toBe("");
    expect(existsSync(join(old, "cadre.db"))).toBe(true);
  });

  it("is moved once by concurrent commands", async () => {
    const { old, ...project } = await createOld();
    await cadre(project, ["trust"]);
    const ended = await Promise.all([1, 2, 3].map(() => cadre(project, ["runs"])));
    for (const { code, stdout } of ended) {
      expect(code).toBe(0);
      expect(stdout).toContain("early");
    }
    const warned = ended.filter(({ stderr }) => stderr.includes("state-moved"));
    expect(warned).toHaveLength(1);
    expect(existsSync(old)).toBe(false);
  });
});

it("tests write nothing to the developer's own state folder", () => {
  expect(process.env["XDG_STATE_HOME"]).toBeDefined();
  expect(process.env["XDG_STATE_HOME"]?.startsWith(homedir())).toBe(false);
});
