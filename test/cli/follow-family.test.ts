import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { followFamily } from "../../src/cli/run/follow-family.ts";
import type { Cadre, RunHandle } from "../../src/index.ts";
import { createModelProject } from "../fixtures/project.ts";

const script = `scripts:
  - when: { task: go, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: work } }] }
  - reply: { text: done }
`;

async function start(): Promise<{ cadre: Cadre; run: RunHandle }> {
  const project = createModelProject();
  project.writeAgent("worker");
  const file = join(project.folder, "script.yaml");
  writeFileSync(file, script);
  const cadre = await project.open({ model: `scripted:${file}` });
  return { cadre, run: await cadre.spawn({ agent: "main", task: "go" }) };
}

it("a reader that is slower than the family gets its last events", async () => {
  const { cadre, run } = await start();
  const ends: string[] = [];
  for await (const { event, run: of } of followFamily(cadre, run.id, { fromStart: true })) {
    if (event.type === "run-finished") ends.push(of.agent);
    await run.result();
  }
  expect(ends).toEqual(["worker", "main"]);
});

it("a family that ends before the database looks for new events is shown to its end", async () => {
  const { cadre, run } = await start();
  const slow: Cadre = {
    ...cadre,
    async *events(options) {
      await run.result();
      yield* cadre.events(options);
    },
  };
  const ends: string[] = [];
  for await (const { event, run: of } of followFamily(slow, run.id, { fromStart: true })) {
    if (event.type === "run-finished") ends.push(of.agent);
  }
  expect(ends).toEqual(["worker", "main"]);
});

it("a family that ended while the clock was hours behind is shown in the order of its events", async () => {
  const now = Date.now.bind(Date);
  let behindMs = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - behindMs);
  onTestFinished(() => clock.mockRestore());
  const { cadre, run } = await start();
  behindMs = 7 * 3_600_000;
  await run.result();
  const signal = AbortSignal.timeout(30_000);
  const seqs: number[] = [];
  for await (const { event } of followFamily(cadre, run.id, { fromStart: true, signal })) {
    if (event.runId === run.id) seqs.push(event.seq);
  }
  expect(signal.aborted).toBe(false);
  expect(seqs.length).toBeGreaterThan(2);
  expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
});
