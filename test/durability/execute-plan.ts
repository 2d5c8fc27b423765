import { setImmediate as nextTurn } from "node:timers/promises";
import type { RunEvent } from "../../src/run/event.ts";
import type { Run } from "../../src/run/run.ts";
import { childOf } from "../fixtures/child-run.ts";
import { createEngineFixture, type EngineFixture } from "../fixtures/engine-fixture.ts";
import type { PlannedCancel, PlannedRun } from "./schedule-model.ts";
import { omitUndefined } from "../../src/omit-undefined.ts";

/** Observations of a plan during its execution. */
export interface Observed {
  /** `begin` and `end` of the programs, in order. */
  log: { kind: "begin" | "end"; name: number }[];
  /** The maximum number of concurrently active programs, excluding those that wait for their children. */
  maxAtWork: number;
  runs: ReadonlyMap<number, { run: Run; events: RunEvent[] }>;
  /** The results of the cancels, by the name of the run. */
  cancelled: { name: number; isCancelled: boolean }[];
}

/** Executes plans with `concurrency` slots, one plan after another. */
export interface Executor {
  execute(plan: readonly PlannedRun[], cancels: readonly PlannedCancel[]): Promise<Observed>;
  /** Resolves when all slots are in use. */
  useAllSlots(): Promise<void>;
}

interface Trial {
  id: string;
  plan: readonly PlannedRun[];
  cancels: readonly PlannedCancel[];
  seen: Pick<Observed, "log" | "maxAtWork" | "cancelled">;
  atWork: number;
  begun: number;
  answers: Promise<void>[];
}

/** Creates an executor with its own registry and engine, which are closed when the test ends. */
export function createExecutor(concurrency: number): Executor {
  const trials = new Map<string, Trial>();
  const crowd = createCrowd(concurrency);

  function find(id: string): { trial: Trial; planned: PlannedRun } {
    const [trialId = "", name = ""] = id.split("-");
    const trial = trials.get(trialId);
    const planned = trial?.plan[Number(name)];
    if (trial === undefined || planned === undefined) throw new Error(`no plan has ${id}`);
    return { trial, planned };
  }

  const fixture: EngineFixture = createEngineFixture({
    concurrency,
    async program({ task }, context) {
      if (task === "crowd") return await crowd.join();
      // The task may begin with the results of other runs.
      return await conductPlanned(fixture, { ...find(context.runId), context });
    },
    async delegate(parent, stepKey, { task = "" }) {
      const { trial, planned } = find(task);
      const request = { ...toRequest(trial, planned), parentStep: stepKey };
      const child = await fixture.spawn(childOf(parent, request));
      return await fixture.engine.result(child);
    },
  });

  return {
    async execute(plan, cancels) {
      const seen = { log: [], maxAtWork: 0, cancelled: [] };
      const id = `t${trials.size}`;
      const trial: Trial = { id, plan, cancels, seen, atWork: 0, begun: 0, answers: [] };
      trials.set(id, trial);
      const first = plan.filter(({ parent }) => parent === null);
      await Promise.all(first.map((planned) => fixture.spawn(toRequest(trial, planned))));
      await fixture.engine.idle();
      await Promise.all(trial.answers);
      return { ...seen, maxAtWork: trial.seen.maxAtWork, runs: await readRuns(fixture, trial) };
    },
    async useAllSlots() {
      const runs = Array.from({ length: concurrency }, () => fixture.run({ task: "crowd" }));
      await Promise.all(runs);
    },
  };
}

const idOf = (trial: Pick<Trial, "id">, name: number): string => `${trial.id}-${name}`;

function toRequest(trial: Trial, planned: PlannedRun): object {
  const { name, dependsOn, onDependencyError, sequence, isDetached } = planned;
  return {
    id: idOf(trial, name),
    ...(planned.parent === null && { rootId: idOf(trial, name) }),
    task: idOf(trial, name),
    dependsOn: dependsOn.map((other) => idOf(trial, other)),
    onDependencyError,
    ...omitUndefined({ sequence }),
    ...(isDetached && { background: true, detached: true }),
  };
}

interface Conducted {
  trial: Trial;
  planned: PlannedRun;
  context: {
    runId: string;
    delegate: (request: { agent: string; task: string }) => Promise<unknown>;
  };
}

/** The program of a run: it works, starts its children, waits for them, and works again. */
async function conductPlanned(
  fixture: EngineFixture,
  { trial, planned, context }: Conducted,
): Promise<string> {
  const { name, turns, fails } = planned;
  begin(fixture, trial, name);
  try {
    await work(trial, turns);
    const children = trial.plan.filter(({ parent }) => parent === name);
    const run = await fixture.registry.run(context.runId);
    if (run === undefined) throw new Error("it is not there");
    const waits: Promise<unknown>[] = [];
    for (const child of children) {
      const task = idOf(trial, child.name);
      if (child.isDetached) await fixture.spawn(childOf(run, toRequest(trial, child)));
      else waits.push(context.delegate({ agent: "main", task }));
    }
    if (waits.length > 0) await Promise.allSettled(waits);
    await work(trial, turns);
    if (fails) throw new Error("it was to fail");
    return "done";
  } finally {
    trial.seen.log.push({ kind: "end", name });
  }
}

function begin({ engine }: EngineFixture, trial: Trial, name: number): void {
  trial.seen.log.push({ kind: "begin", name });
  trial.begun += 1;
  for (const cancel of trial.cancels.filter(({ after }) => after === trial.begun)) {
    const answer = engine.cancel(idOf(trial, cancel.name), "enough", "user");
    const note = (isCancelled: boolean): void =>
      void trial.seen.cancelled.push({ name: cancel.name, isCancelled });
    trial.answers.push(answer.then(note));
  }
}

async function work(trial: Trial, turns: number): Promise<void> {
  trial.atWork += 1;
  trial.seen.maxAtWork = Math.max(trial.seen.maxAtWork, trial.atWork);
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
  trial.atWork -= 1;
}

async function readRuns(fixture: EngineFixture, trial: Trial): Promise<Observed["runs"]> {
  const runs = new Map<number, { run: Run; events: RunEvent[] }>();
  for (const { name } of trial.plan) {
    const run = await fixture.registry.run(idOf(trial, name));
    if (run !== undefined) runs.set(name, { run, events: await fixture.events(run.id) });
  }
  return runs;
}

/** Creates a group whose members leave when it is complete. */
function createCrowd(size: number): { join(): Promise<string> } {
  let members = 0;
  let complete = Promise.withResolvers<string>();
  return {
    async join() {
      const mine = complete;
      members += 1;
      if (members === size) {
        mine.resolve("complete");
        [members, complete] = [0, Promise.withResolvers<string>()];
      }
      return await mine.promise;
    },
  };
}
