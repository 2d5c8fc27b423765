import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ApiError, createClient } from "../../src/client.ts";
import { cadre, createProject, type Project } from "../cli/command-line.ts";
import { newSchema, postgresUrl } from "../fixtures/postgres/test-schema.ts";
import { createServedProject, readEvents, serveInProcess, token } from "./serve-fixture.ts";
import { omitUndefined } from "../../src/omit-undefined.ts";

/** Creates two projects of one user, with registries in the default folders. */
function createProjects(): { first: Project; second: Project } {
  const first = createServedProject();
  first.environment["CADRE_MODEL"] = `scripted:${join(first.path, "script.yaml")}`;
  delete first.environment["CADRE_STATE_DIR"];
  const second = createProject({
    ".cadre/agents/second.md": "---\nname: second\ndescription: is there\n---\nYou work.\n",
  });
  second.environment = first.environment;
  second.home = first.home;
  return { first, second };
}

describe("a server of several projects", () => {
  test("shows and executes the runs of each, and the first without a name", async () => {
    const { first, second } = createProjects();
    const { url } = await serveInProcess({ project: first, folders: [first.path, second.path] });
    const { projects } = await createClient({ url, token }).listProjects();
    expect(projects).toEqual([
      { id: basename(first.path), path: first.path, isTrusted: false },
      { id: basename(second.path), path: second.path, isTrusted: false },
    ]);
    const one = createClient({ url, token });
    const other = createClient({ url, token, project: projects[1]?.id ?? "" });
    const { run } = await other.startRun({ agent: "second", task: "hello" });
    expect((await other.readResult(run.id)).result.status).toBe("succeeded");
    expect((await other.listRuns()).runs.map(({ id }) => id)).toEqual([run.id]);
    expect((await one.listRuns()).runs).toEqual([]);
    await expect(one.readRun(run.id)).rejects.toMatchObject({ code: "run-not-found" });
    await expect(one.startRun({ agent: "second", task: "x" })).rejects.toMatchObject({
      code: "agent-not-found",
    });
    expect((await cadre(second, ["runs", "--json"])).stdout).toContain(run.id);
    const path = `/api/v1/projects/${projects[1]?.id}/runs/${run.id}/events`;
    const events = await readEvents(`${url}${path}`, {}, () => false);
    expect(events.at(-1)?.type).toBe("run-finished");
  });

  test("knows no other project, and no path in place of its id", async () => {
    const { first, second } = createProjects();
    const { url } = await serveInProcess({ project: first, folders: [first.path, second.path] });
    for (const project of ["none", "../..", second.path, "__proto__"]) {
      const lost = await createClient({ url, token, project })
        .listRuns()
        .catch((error: unknown) => error);
      expect(lost).toBeInstanceOf(ApiError);
      expect(lost).toMatchObject({ status: 404, code: "not-found" });
    }
  });

  test("has a trust for each project, and their triggers have secrets of their own", async () => {
    const { first, second } = createProjects();
    const trigger = (secret: string): string =>
      `triggers:\n  go: { start: { agent: main, task: go }, secretEnv: ${secret} }\n`;
    first.write(".cadre/config.yaml", trigger("ONE"));
    second.write(".cadre/config.yaml", trigger("TWO"));
    Object.assign(first.environment, { ONE: "secret-of-one", TWO: "secret-of-two" });
    mkdirSync(join(first.home, ".cadre"), { recursive: true });
    writeFileSync(join(first.home, ".cadre", "config.yaml"), "");
    expect((await cadre(second, ["trust", second.path])).code).toBe(0);
    const { url } = await serveInProcess({ project: first, folders: [first.path, second.path] });
    const client = createClient({ url, token });
    const { projects } = await client.listProjects();
    expect(projects.map(({ isTrusted }) => isTrusted)).toEqual([false, true]);
    const project = projects[1]?.id ?? "";
    const start = async (secret: string, id?: string): Promise<unknown> =>
      await createClient({ url, token: secret, ...omitUndefined({ project: id }) })
        .startTrigger("go")
        .catch((error: unknown) => error);
    expect(await start("secret-of-two", project)).toMatchObject({ run: { agent: "main" } });
    expect(await start("secret-of-one", project)).toMatchObject({ code: "not-signed-in" });
    expect(await start("secret-of-two")).toMatchObject({ code: "not-signed-in" });
    // The configuration of the untrusted project has no trigger.
    expect(await start("secret-of-one")).toMatchObject({ code: "not-signed-in" });
    expect(await start(token)).toMatchObject({ status: 404 });
  });

  test("is refused for one project twice, and trusts no list of folders", async () => {
    const { first, second } = createProjects();
    const twice = await cadre(first, ["serve", first.path, join(first.path, ".cadre")]);
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("separate runs") });
    const all = await cadre(first, ["serve", first.path, second.path, "--trust"]);
    expect(all).toMatchObject({ code: 2, stderr: expect.stringContaining("cadre trust") });
    const missing = await cadre(first, ["serve", join(first.path, "missing")]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("does not exist") });
  });

  test("is refused when two have one registry in a database, without repeating its address", async () => {
    const { first, second } = createProjects();
    const environment = { CADRE_REGISTRY_URL: "postgresql://u:secret@127.0.0.1:1/runs" };
    Object.assign(first.environment, environment);
    const words = ["serve", "--json", "--port", "0", first.path, second.path];
    const { code, stdout, stderr } = await cadre(first, words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("in the schema cadre of one database");
    expect(stderr).toContain("`registry.schema`");
    expect(stderr).not.toContain("secret");
    // A different address of the same database.
    second.write(
      ".cadre/config.yaml",
      "registry: { url: 'postgres://other:word@127.0.0.1:1/runs' }\n",
    );
    expect((await cadre(second, ["trust", second.path])).code).toBe(0);
    delete first.environment["CADRE_REGISTRY_URL"];
    expect((await cadre(first, ["trust", first.path])).code).toBe(0);
    first.write(
      ".cadre/config.yaml",
      "registry: { url: 'postgresql://u:secret@127.0.0.1:1/runs' }\n",
    );
    expect(await cadre(first, words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("one database"),
    });
  });
});

test.skipIf(postgresUrl === undefined)(
  "projects with schemas of one database are served, each with its runs",
  async () => {
    const { first, second } = createProjects();
    first.environment["CADRE_REGISTRY_URL"] = postgresUrl ?? "";
    for (const project of [first, second]) {
      project.write(".cadre/config.yaml", `registry: { schema: ${newSchema()} }\n`);
      expect((await cadre(project, ["trust", project.path])).code).toBe(0);
      expect((await cadre(project, ["db", "migrate"])).code).toBe(0);
    }
    const { url } = await serveInProcess({ project: first, folders: [first.path, second.path] });
    const one = createClient({ url, token });
    const other = createClient({ url, token, project: basename(second.path) });
    const { run } = await other.startRun({ agent: "second", task: "hello" });
    expect((await other.readResult(run.id)).result.status).toBe("succeeded");
    expect((await other.listRuns()).runs.map(({ id }) => id)).toEqual([run.id]);
    expect((await one.listRuns()).runs).toEqual([]);
  },
);
