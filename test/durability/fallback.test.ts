import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createKillableProject, executeWithKill, type KillableProject } from "./killed-project.ts";

const effect = (name: string) => ({
  tool: "Bash",
  input: { command: `echo ${name} >> effects.log` },
});
const overloaded = { kind: "status", status: 529, times: 100 };

/** The first model makes one call and then fails. */
const first = {
  scripts: [
    { when: { turn: 0 }, reply: { calls: [effect("first")] } },
    { reply: { text: "", fault: overloaded } },
  ],
};
const second = { scripts: [{ reply: { text: "", fault: overloaded } }] };
/** The third model continues the conversation of the first. */
const third = {
  scripts: [
    { when: { turn: 1 }, reply: { calls: [effect("second")] } },
    { when: { turn: 2, conversation: "first" }, reply: { text: "third done" } },
    { reply: { text: "too early" } },
  ],
};
const fallbacks = ["scripted:second.json", "scripted:third.json"];

async function createFamily(): Promise<KillableProject> {
  return await createKillableProject({
    files: {
      "first.json": JSON.stringify(first),
      "second.json": JSON.stringify(second),
      "third.json": JSON.stringify(third),
    },
    config: { sandbox: "off", limits: { modelRetries: 0 } },
    execution: {
      options: { mode: "auto", model: "scripted:first.json", fallbacks },
      start: { agent: "main", task: "go" },
    },
  });
}

async function expectWhole(project: KillableProject): Promise<void> {
  const [{ run, events } = { run: undefined, events: [] }] = await project.journal();
  expect(run).toMatchObject({ status: "succeeded", result: { text: "third done" } });
  expect(run).toMatchObject({ model: "scripted:third.json", firstModel: "scripted:first.json" });
  // Each model is replaced once, however often the run is resumed.
  expect(events.filter(({ type }) => type === "model-changed")).toMatchObject([
    { key: "model/2", from: "scripted:first.json", to: "scripted:second.json" },
    { key: "model/2", from: "scripted:second.json", to: "scripted:third.json" },
  ]);
  const replies = events.filter((one) => one.type === "step-finished" && one.kind === "model");
  expect(replies.map((one) => "value" in one && (one.value as { model?: string }).model)).toEqual([
    undefined,
    "scripted:third.json",
    "scripted:third.json",
  ]);
  expect(run?.result?.warnings).toEqual([
    "scripted:first.json failed (overloaded); continues with scripted:second.json.",
    "scripted:second.json failed (overloaded); continues with scripted:third.json.",
  ]);
}

/** The number of events of an uninterrupted run. */
const lastBoundary = 13;
const boundaries = Array.from({ length: lastBoundary }, (_, index) => index + 1);
/** The boundaries at which it is killed: a few; with `npm run test:durability`, every one. */
const sampled = isLong ? boundaries : boundaries.filter((boundary) => boundary % 3 === 0);

describe("a run with fallbacks killed with SIGKILL", { timeout: 300_000 }, () => {
  test("has as many events as it is killed at", async () => {
    const project = await createFamily();
    await project.execute("start", "never");
    await expectWhole(project);
    const [journal] = await project.journal();
    expect(journal?.events).toHaveLength(lastBoundary);
    expect(await project.effects()).toEqual(["first", "second"]);
    await project.remove();
  });

  test.concurrent.each(sampled)(
    "goes on with the model that was in use when killed after event %i",
    async (afterEvents) => {
      const isKilled = await executeWithKill(await createFamily(), expectWhole, { afterEvents });
      expect(isKilled || afterEvents > lastBoundary - 4).toBe(true);
    },
  );
});
