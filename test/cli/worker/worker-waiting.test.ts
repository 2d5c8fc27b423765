import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresUrl } from "../../fixtures/postgres/test-schema.ts";
import {
  createWorkerPlace,
  listWork,
  startReadyWorker,
  submit,
} from "../../fixtures/postgres/worker-place.ts";
import { cadre, type Project, start, type Started } from "../command-line.ts";

const script = `scripts:
  - when: { task: wait }
    reply: { calls: [{ tool: Bash, input: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] }
  - reply: { text: hi }
`;
const poll = { timeout: 60_000, interval: 100 };
const alone = "It waits. No worker without a label is alive. Start one: cadre worker\n";

function watch(place: Project, ...words: string[]): Started {
  const watching = start(place, words);
  onTestFinished(() => void watching.child.kill("SIGKILL"));
  return watching;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.skipIf(postgresUrl === undefined)("a family that waits for a worker", () => {
  it("says once that none is alive, to everyone who follows it, and is followed to its end", async () => {
    const place = await createWorkerPlace(script);
    const id = await submit(place, "hello");
    const watching = [
      watch(place, "attach", id),
      watch(place, "logs", id, "--follow"),
      watch(place, "events", id, "--follow", "--json"),
    ];
    await Promise.all(watching.map(async (one) => await one.said(alone)));
    // It looks again every second.
    await delay(2500);
    await startReadyWorker(place);
    for (const { ended } of watching) {
      const { code, stderr } = await ended;
      expect(stderr).toContain(alone);
      expect(count(stderr, "It waits.")).toBe(1);
      expect(code).toBe(0);
    }
  });

  it("says why every worker refuses it, and for which label none is alive", async () => {
    const place = await createWorkerPlace(script);
    place.write(
      "agents/odd.md",
      "---\nname: odd\ndescription: Is odd.\nmodel: scripted:other.yaml\n---\nBe odd.\n",
    );
    place.write("other.yaml", "scripts: [{ reply: { text: odd } }]");
    await startReadyWorker(place);
    const refused = await submit(place, "--trust", "./agents/odd.md", "hello");
    const watching = watch(place, "attach", refused);
    await watching.said("It waits. No worker can execute it: ");
    const other = await submit(place, "--trust", "--needs", "gpu", "hello");
    const labelled = watch(place, "attach", other);
    await labelled.said("It waits. No worker with the label gpu is alive. Start one: ");
    await startReadyWorker(place, "--trust");
    expect(count((await watching.ended).stderr, "It waits.")).toBe(1);
    labelled.child.kill("SIGINT");
    expect(await labelled.ended).toMatchObject({ code: 0 });
  });

  it("says when it starts, and that all workers are busy", async () => {
    const place = await createWorkerPlace(script);
    const later = watch(place, "attach", await submit(place, "--after", "2h", "hello"));
    await later.said("It starts in 1h59m. No worker without a label is alive");
    await startReadyWorker(place, "--concurrency", "1");
    await later.said("It starts in 1h59m.\n");
    const first = await submit(place, "wait");
    const busy = async (): Promise<string[]> => (await listWork(place)).workers[0]?.families ?? [];
    await expect.poll(busy, poll).toEqual([first]);
    const second = watch(place, "attach", await submit(place, "hello"));
    await second.said("It waits. All workers are busy.\n");
    expect((await cadre(place, ["cancel", first])).code).toBe(0);
    expect(count((await second.ended).stderr, "It waits.")).toBe(1);
  });
});
