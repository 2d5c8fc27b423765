import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerFixture,
  readPrintedWork,
  startReadyWorker,
  submit,
  waitingQuestion,
  poll,
} from "../../fixtures/postgres/worker-fixture.ts";
import { cadre, type Project, type Started } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

const script = `scripts:
  - when: { task: wait, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] }
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "true" } }] }
  - reply: { text: hi }
`;
const alone = "It waits. No worker is alive. Start one: cadre worker\n";

function watch(project: Project, ...words: string[]): Started {
  const watching = start(project, words);
  onTestFinished(() => void watching.child.kill("SIGKILL"));
  return watching;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.skipIf(postgresUrl === undefined)("a family that waits for a worker", () => {
  it("tells every follower once that no worker is alive, and is followed to its end", async () => {
    const project = await createWorkerFixture(script);
    const id = await submit(project, "hello");
    const watching = [
      watch(project, "attach", id),
      watch(project, "logs", id, "--follow"),
      watch(project, "events", id, "--follow", "--json"),
    ];
    await Promise.all(watching.map(async (one) => await one.printed(alone)));
    // The follower looks again every second.
    await delay(2500);
    await startReadyWorker(project);
    for (const { ended } of watching) {
      const { code, stderr } = await ended;
      expect(stderr).toContain(alone);
      expect(count(stderr, "It waits.")).toBe(1);
      expect(code).toBe(0);
    }
  });

  it("shows why every worker refuses it, and for which label no worker is alive", async () => {
    const project = await createWorkerFixture(script);
    project.write(
      "agents/odd.md",
      "---\nname: odd\ndescription: Is odd.\nmodel: scripted:other.yaml\n---\nBe odd.\n",
    );
    project.write("other.yaml", "scripts: [{ reply: { text: odd } }]");
    await startReadyWorker(project);
    const refused = await submit(project, "--trust", "./agents/odd.md", "hello");
    const watching = watch(project, "attach", refused);
    await watching.printed("It waits. No worker can execute it: ");
    const other = await submit(project, "--trust", "--needs", "gpu", "hello");
    const labelled = watch(project, "attach", other);
    await labelled.printed("It waits. No worker with the label gpu is alive. Start one: ");
    await startReadyWorker(project, "--trust");
    expect(count((await watching.ended).stderr, "It waits.")).toBe(1);
    labelled.child.kill("SIGINT");
    expect(await labelled.ended).toMatchObject({ code: 0 });
  });

  it("is shown everywhere after the last worker was killed, and continues in the next one", async () => {
    const project = await createWorkerFixture(script);
    const worker = await startReadyWorker(project);
    const id = await submit(project, "wait");
    const watching = watch(project, "attach", id);
    const taken = async (): Promise<string[]> =>
      (await readPrintedWork(project)).workers[0]?.families ?? [];
    await expect.poll(taken, poll).toEqual([id]);
    worker.child.kill("SIGKILL");
    await worker.ended;
    await watching.printed(alone);
    const { workers, waiting } = await readPrintedWork(project);
    expect(workers).toEqual([]);
    const reason = "No worker is alive. Start one: cadre worker";
    expect(waiting).toMatchObject([{ rootId: id, reason }]);
    const line = `${id.split("-")[1]}: ${alone}`;
    for (const words of [["runs"], ["tree", id], ["show", id]]) {
      expect((await cadre(project, words)).stderr).toBe(line);
    }
    // The killed worker may not have begun the command, which then begins at the next one.
    project.write("go", "");
    await startReadyWorker(project);
    expect(await watching.ended).toMatchObject({ code: 0, stdout: "hi\n" });
    expect((await cadre(project, ["runs"])).stderr).toBe("");
  });

  it("is said to need a worker without a label only while others are alive", async () => {
    const project = await createWorkerFixture(script);
    await startReadyWorker(project, "--label", "gpu");
    await submit(project, "hello");
    const [family] = (await readPrintedWork(project)).waiting;
    expect(family?.reason).toBe("No worker without a label is alive. Start one: cadre worker");
  });

  it("has the answer to its question when a worker takes it", async () => {
    const project = await createWorkerFixture(script);
    const worker = await startReadyWorker(project, "--mode", "ask", "--drain", "0s");
    const { stdout } = await cadre(project, ["run", "--detach", "--mode", "ask", "ask"]);
    await expect.poll(async () => await waitingQuestion(project), poll).not.toBe("");
    const question = await waitingQuestion(project);
    worker.child.kill("SIGTERM");
    await worker.ended;
    await expect.poll(async () => (await readPrintedWork(project)).workers, poll).toEqual([]);
    const output = await cadre(project, ["answer", question, "yes"]);
    expect(output.stdout).toBe(`The answer to ${question} is recorded. ${alone}`);
    await startReadyWorker(project);
    const { code, stdout: text } = await cadre(project, ["attach", stdout.trim()]);
    expect(text).toContain("hi");
    expect(code).toBe(0);
  });

  it("shows when it starts, and that all workers are busy", async () => {
    const project = await createWorkerFixture(script);
    const later = watch(project, "attach", await submit(project, "--after", "7170s", "hello"));
    await later.printed("It starts in 1h59m. No worker is alive");
    await startReadyWorker(project, "--concurrency", "1");
    await later.printed("It starts in 1h59m.\n");
    const first = await submit(project, "wait");
    const busy = async (): Promise<string[]> =>
      (await readPrintedWork(project)).workers[0]?.families ?? [];
    await expect.poll(busy, poll).toEqual([first]);
    const second = watch(project, "attach", await submit(project, "hello"));
    await second.printed("It waits. All workers are busy.\n");
    expect((await cadre(project, ["cancel", first])).code).toBe(0);
    expect(count((await second.ended).stderr, "It waits.")).toBe(1);
  });
});
