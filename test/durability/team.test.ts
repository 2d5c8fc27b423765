import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createKillableProject, executeWithKill, type KillableProject } from "./killed-project.ts";

const tasks = ["a", "b", "c", "d", "e"];
const call = (tool: string, input: object = {}) => ({ tool, input });
const member = (label: string) =>
  call("sessions_spawn", { agentId: "worker", task: "work", label, team: true });

/** The lead fills the board and tells the workers to hurry. The workers take tasks until all have ended. */
const script = {
  scripts: [
    {
      when: { task: "lead", turn: 0 },
      reply: {
        calls: [
          call("board_add", {
            tasks: tasks.map((id) => ({
              id,
              title: `Task ${id}`,
              ...(id === "e" && { dependsOn: ["a", "b"] }),
            })),
          }),
        ],
      },
    },
    { when: { task: "lead", turn: 1 }, reply: { calls: [member("one"), member("two")] } },
    {
      when: { task: "lead", turn: 2 },
      reply: { calls: [call("team_send", { to: "*", message: "Hurry." })] },
    },
    { when: { task: "lead" }, reply: { text: "over" } },
    { when: { last: "All tasks have ended" }, reply: { text: "did them" } },
    {
      when: { last: "No task is free" },
      reply: { calls: [call("team_wait", { for: "task", seconds: 0.2 })] },
    },
    {
      when: { last: { matches: "You work on (?<id>\\w+)" } },
      reply: {
        calls: [
          call("Bash", { command: "echo {{id}} >> effects.log" }),
          call("board_update", { task: "{{id}}", status: "done" }),
        ],
      },
    },
    { reply: { calls: [call("board_claim")] } },
  ],
};

async function createTeam(): Promise<KillableProject> {
  return await createKillableProject({
    files: {
      "script.json": JSON.stringify(script),
      ".cadre/agents/lead.md": "---\nname: lead\ndescription: leads\nteam: true\n---\nYou lead.\n",
      ".cadre/agents/worker.md": "---\nname: worker\ndescription: works\n---\nYou work.\n",
    },
    config: { sandbox: "off" },
    execution: {
      options: { mode: "auto", model: "scripted:script.json" },
      start: { agent: "lead", task: "lead" },
    },
  });
}

async function expectWhole(project: KillableProject): Promise<void> {
  const journal = await project.journal();
  expect(journal.map(({ run }) => run.status)).toEqual(journal.map(() => "succeeded"));
  const changes = journal
    .flatMap(({ events }) => events.filter((event) => event.type === "board-changed"))
    .toSorted((one, other) => one.number - other.number);
  expect(changes.map(({ number }) => number)).toEqual(changes.map((_, index) => index + 1));
  for (const id of tasks) {
    const claims = changes.filter(({ change }) => change.kind === "claim" && change.task === id);
    expect(new Set(claims.map(({ runId }) => runId)).size).toBe(1);
    const ends = changes.filter(({ change }) => change.kind === "update" && change.task === id);
    expect(ends.map(({ runId }) => runId)).toEqual([claims[0]?.runId]);
  }
  for (const { events } of journal) {
    const delivered = events.flatMap((event) =>
      event.type === "messages-delivered" ? event.messages.map(({ id }) => id) : [],
    );
    expect(new Set(delivered).size).toBe(delivered.length);
  }
  // A command that was active at the kill is not repeated.
  const effects = await project.effects();
  expect(new Set(effects).size).toBe(effects.length);
}

/** The minimum number of events of an uninterrupted execution. */
const lastBoundary = 60;
const boundaries = Array.from({ length: lastBoundary }, (_, index) => index + 1);
/** The boundaries at which it is killed: a few; with `npm run test:durability`, every one. */
const sampled = isLong ? boundaries : boundaries.filter((boundary) => boundary % 20 === 13);

describe("a team killed with SIGKILL", { timeout: 300_000 }, () => {
  test("has at least as many events as it is killed at", async () => {
    const project = await createTeam();
    await project.execute("start", "never");
    await expectWhole(project);
    const journal = await project.journal();
    const events = journal.reduce((sum, one) => sum + one.events.length, 0);
    expect(events).toBeGreaterThanOrEqual(lastBoundary);
    expect((await project.effects()).toSorted()).toEqual(tasks);
    await project.remove();
  });

  test.concurrent.each(sampled)(
    "gives each task to one member, once, when killed after event %i",
    async (afterEvents) => {
      expect(await executeWithKill(await createTeam(), expectWhole, { afterEvents })).toBe(true);
    },
  );
});
