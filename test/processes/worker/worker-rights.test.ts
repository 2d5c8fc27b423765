import { describe, expect, it, onTestFinished } from "vitest";
import { executeSql, schemaOfFixture } from "../../fixtures/postgres/execute-sql.ts";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import { createWorkerFixture } from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

/** Returns the same project for a user whose only right is `LOGIN`. */
async function asNewUser(project: Project): Promise<{ user: string; project: Project }> {
  const user = schemaOfFixture(project);
  await executeSql(`CREATE ROLE ${user} LOGIN`);
  onTestFinished(async () => void (await executeSql(`DROP OWNED BY ${user}; DROP ROLE ${user}`)));
  const url = new URL(postgresUrl ?? "");
  url.username = user;
  const environment = { ...project.environment, CADRE_REGISTRY_URL: url.href };
  return { user, project: { ...project, environment } };
}

const rightsTo = (schema: string, user: string): string =>
  `GRANT USAGE ON SCHEMA ${schema} TO ${user};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`;

const submission = ["run", "--detach", "hello"];

describe.skipIf(postgresUrl === undefined)("a user of the database without rights", () => {
  it("learns which rights the registry needs, and then which rights the queue needs", async () => {
    const owner = await createWorkerFixture("scripts: [{ reply: { text: hi } }]");
    const schema = schemaOfFixture(owner);
    const { user, project } = await asNewUser(owner);
    const missing = "SELECT, INSERT, UPDATE and DELETE on its tables";
    for (const words of [["runs"], ["workers"], ["worker"]]) {
      const { code, stderr } = await cadre(project, words);
      expect(stderr).toContain(`GRANT USAGE on the schema, and ${missing}`);
      expect(code).toBe(1);
    }
    await executeSql(rightsTo(schema, user));
    const withoutQueue = [await cadre(project, submission), await start(project, ["worker"]).ended];
    for (const { code, stderr } of withoutQueue) {
      expect(stderr).toContain(`GRANT USAGE on the schema ${schema}_dbos, and ${missing}`);
      expect(code).toBe(1);
    }
    // No run was recorded that no worker would find.
    expect(JSON.parse((await cadre(owner, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
    await executeSql(rightsTo(`${schema}_dbos`, user));
    expect((await cadre(project, submission)).code).toBe(0);
  });
});
