import { expect } from "vitest";
import type { RunEvent } from "../../src/run/event.ts";
import type { ToolOutcome } from "../../src/tool/tool.ts";
import type { Kill, Work } from "./execute-and-kill.ts";
import { expectContinuation } from "./expect-continuation.ts";
import { executeTogether, type ProjectJournals, type KillableProject } from "./killed-project.ts";
import type { FamilyServer } from "./model-server.ts";

/** The number of runs of the whole family: main, lead and four workers. */
const runsInAll = 6;

/** The side effects of the whole family. */
const effectsInAll = ["a", "b", "c-1", "c-2", "main-1", "main-2"];

/** A family to kill, and the server that plays its agents. */
export interface KilledFamily {
  project: KillableProject;
  server: FamilyServer;
}

/**
 * Executes families in one process, kills it at each of `kills` in order, lets them finish, and checks the invariants of their
 * journals after each process. Returns the number of kills of a family, because a family may have finished earlier.
 */
export async function executeWithKills(
  families: readonly KilledFamily[],
  kills: readonly Kill[],
): Promise<number> {
  let left = families.map(watchFamily);
  let killed = 0;
  for (const kill of [...kills, "never" as const]) {
    const works = left.map((family) => family.next());
    const printed = await executeTogether(works, kill);
    for (const [at, family] of left.entries()) await family.check(printed[at] ?? null);
    left = left.filter((_, at) => printed[at] === null);
    killed += left.length;
  }
  return killed;
}

interface WatchedFamily {
  /** Returns the work of the next process. */
  next(): Work;
  /** Checks the state that a process left, and the whole family if the process `printed` its result. */
  check(printed: string | null): Promise<void>;
}

function watchFamily({ project, server }: KilledFamily): WatchedFamily {
  let before: ProjectJournals = [];
  let askedBefore = 0;
  return {
    next() {
      askedBefore = server.asked.length;
      // A kill before any event was durable leaves nothing to resume.
      return project.work(before.length === 0 ? "start" : "resume");
    },
    async check(printed) {
      const journal = await project.journal();
      expectContinuation(before, journal);
      expectNotAskedAgain(before, server.asked.slice(askedBefore));
      before = journal;
      if (printed !== null) await expectFinished(project, journal, printed);
    },
  };
}

function expectNotAskedAgain(before: ProjectJournals, asked: FamilyServer["asked"]): void {
  for (const { run, events } of before) {
    const recorded = events.filter(
      (event) => event.type === "step-finished" && event.kind === "model",
    ).length;
    const again = asked.filter(
      ({ agent, task, turn }) => agent === run.agent && task === run.task && turn < recorded,
    );
    expect(again, `recorded model steps of ${run.agent} ${run.task} were asked again`).toEqual([]);
  }
}

async function expectFinished(
  project: KillableProject,
  journal: ProjectJournals,
  printed: string,
): Promise<void> {
  const root = journal.find(({ run }) => run.parentId === null)?.run;
  expect(root?.result).toMatchObject({ status: "succeeded", text: "main is done" });
  // The process was killed when everything was durable, so there was nothing to resume.
  if (printed !== "null") expect(JSON.parse(printed)).toEqual(root?.result);
  expect(journal).toHaveLength(runsInAll);
  for (const { run, events } of journal) {
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const endings = events.filter(({ type }) => type === "run-finished");
    expect(endings, `${run.agent} ${run.task} must end once`).toHaveLength(1);
    expect(run.status).toBe("succeeded");
  }
  expectEffectsOnce(journal, await project.effects());
}

/** Checks that each command ran once, or that the model learned that its effect is unknown. */
function expectEffectsOnce(journal: ProjectJournals, effects: readonly string[]): void {
  expect(new Set(effects).size, `effects happened twice: ${effects.join(", ")}`).toBe(
    effects.length,
  );
  const delivered = journal.flatMap(({ run, events }) =>
    events.flatMap((event) => (isCommand(event) ? [{ run, text: textOf(event) }] : [])),
  );
  expect(delivered).toHaveLength(effectsInAll.length);
  const interrupted = delivered.filter(({ text }) =>
    text.startsWith("Interrupted, effect unknown"),
  );
  const missing = effectsInAll.filter((name) => !effects.includes(name));
  expect(missing.length, `lost without a word: ${missing.join(", ")}`).toBeLessThanOrEqual(
    interrupted.length,
  );
}

function isCommand(event: RunEvent): event is Extract<RunEvent, { type: "step-finished" }> {
  return (
    event.type === "step-finished" &&
    event.kind === "tool" &&
    // The commands print nothing here, so their outcome contains no file and no run.
    !textOf(event).includes("some input") &&
    !textOf(event).includes(" did ")
  );
}

function textOf(event: Extract<RunEvent, { type: "step-finished" }>): string {
  return (event.value as unknown as ToolOutcome).text;
}
