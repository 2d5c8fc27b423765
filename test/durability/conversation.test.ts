import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createKillableProject, executeWithKill, type KillableProject } from "./killed-project.ts";

const texts = ["one", "two", "three"];
const effect = (name: string) => ({
  tool: "Bash",
  input: { command: `echo ${name} >> effects.log` },
});
const session = (tool: string, input: object) => ({ tool: `sessions_${tool}`, input });
const reply = (turn: number, calls: object[]) => ({
  when: { task: "one", turn },
  reply: { calls },
});

/** The second turn sends a message to the sub-agent of the first, which has ended. */
const script = {
  scripts: [
    reply(0, [effect("first"), session("spawn", { agentId: "worker", task: "look", label: "w" })]),
    reply(1, [session("wait", {})]),
    { when: { task: "one", turn: 2 }, reply: { text: "first done" } },
    reply(3, [effect("second"), session("send", { label: "w", message: "more" })]),
    reply(4, [session("wait", {})]),
    { when: { task: "one", turn: 5 }, reply: { text: "second done" } },
    { when: { task: "one" }, reply: { text: "third done" } },
    { reply: { text: "worker did {{turn}}" } },
  ],
};

async function createConversation(): Promise<KillableProject> {
  return await createKillableProject({
    files: {
      "script.json": JSON.stringify(script),
      ".cadre/agents/worker.md": "---\nname: worker\ndescription: works\n---\nYou are worker.\n",
    },
    config: { sandbox: "off" },
    execution: {
      options: { mode: "auto", model: "scripted:script.json" },
      start: { conversation: texts },
    },
  });
}

async function expectWhole(project: KillableProject): Promise<void> {
  const journal = (await project.journal()).toSorted(
    (one, other) => one.run.createdAt - other.run.createdAt,
  );
  const turns = journal.filter(({ run }) => run.parentId === null);
  expect(turns.map(({ run }) => run.task)).toEqual(texts);
  expect(turns.map(({ run }) => run.result?.text)).toEqual([
    "first done",
    "second done",
    "third done",
  ]);
  expect(turns.map(({ run }) => run.continues)).toEqual([
    undefined,
    turns[0]?.run.id,
    turns[1]?.run.id,
  ]);
  const workers = journal.filter(({ run }) => run.parentId !== null).map(({ run }) => run);
  expect(workers.map(({ task }) => task)).toEqual(["look", "more"]);
  expect(workers[1]?.continues).toBe(workers[0]?.id);
  expect(workers.map(({ result }) => result?.text)).toEqual(["worker did 0", "worker did 1"]);
  for (const { events } of journal) {
    expect(events.filter(({ type }) => type === "run-finished")).toHaveLength(1);
    const steps = events.flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
    expect(new Set(steps).size).toBe(steps.length);
  }
  // A command that was active at the kill is not repeated.
  const effects = await project.effects();
  expect(new Set(effects).size).toBe(effects.length);
}

/** The number of events of an uninterrupted conversation. */
const lastBoundary = 43;
const boundaries = Array.from({ length: lastBoundary }, (_, index) => index + 1);
/** The boundaries at which it is killed: a few; with `npm run test:durability`, every one. */
const sampled = isLong ? boundaries : boundaries.filter((boundary) => boundary % 16 === 14);

describe("a conversation killed with SIGKILL", { timeout: 300_000 }, () => {
  test("has as many events as it is killed at", async () => {
    const project = await createConversation();
    await project.execute("start", "never");
    await expectWhole(project);
    const journal = await project.journal();
    expect(journal.reduce((sum, { events }) => sum + events.length, 0)).toBe(lastBoundary);
    expect(await project.effects()).toEqual(["first", "second"]);
    await project.remove();
  });

  test.concurrent.each(sampled)(
    "goes on where it stood when killed after event %i",
    async (afterEvents) => {
      const isKilled = await executeWithKill(await createConversation(), expectWhole, {
        afterEvents,
      });
      expect(isKilled || afterEvents > lastBoundary - 4).toBe(true);
    },
  );
});
