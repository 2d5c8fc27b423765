import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  submit,
  waitingQuestion,
  poll,
  askingScript,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project } from "../../cli/command-line.ts";

/** Returns the same project for processes whose clock differs by some hours. */
function atAnotherTime(project: Project, hours: number): Project {
  const file = join(project.home, `clock-${hours}.mjs`);
  writeFileSync(
    file,
    `const now = Date.now;
    const shift = ${hours * 3_600_000};
    globalThis.Date = class extends Date {
      constructor(...given) { super(...(given.length === 0 ? [now() + shift] : given)); }
      static now() { return now() + shift; }
    };\n`,
  );
  const environment = { ...project.environment, NODE_OPTIONS: `--import=${file}` };
  return { ...project, environment };
}

describe.skipIf(postgresUrl === undefined)("workers whose clocks are hours apart", () => {
  it("take over from each other when one dies, and not before", async () => {
    const project = await createWorkerFixture(askingScript);
    const familiesOf = async (pid: number | undefined): Promise<string[] | undefined> =>
      (await readPrintedWork(project)).workers.find((worker) => worker.pid === pid)?.families;
    const early = await startReadyWorker(atAnotherTime(project, -7));
    const { stdout } = await cadre(project, ["run", "--detach", "--mode", "ask", "ask"]);
    const id = stdout.trim();
    await expect.poll(() => waitingQuestion(project), poll).not.toBe("");
    const late = await startReadyWorker(atAnotherTime(project, 7));
    // A start time is compared with the clock of the database, so neither worker takes this run.
    const later = await submit(project, "later", "--after", "1h");
    // After several rounds of both workers, the first one still has the family.
    const hello = await submit(project, "hello");
    expect((await cadre(project, ["attach", hello, "--json"])).code).toBe(0);
    expect(await familiesOf(early.child.pid)).toEqual([id]);
    early.child.kill("SIGKILL");
    await early.ended;
    await expect.poll(() => familiesOf(late.child.pid), poll).toEqual([id]);
    await expect
      .poll(async () => {
        const question = await waitingQuestion(project);
        return (await cadre(project, ["answer", question, "yes"])).code;
      }, poll)
      .toBe(0);
    const { stdout: result } = await cadre(project, ["attach", id, "--json"]);
    expect(JSON.parse(result)).toMatchObject({ status: "succeeded" });
    expect((await readPrintedWork(project)).waiting).toMatchObject([{ rootId: later }]);
  });
});
