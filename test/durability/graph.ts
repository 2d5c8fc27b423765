import { expect } from "vitest";
import type { Run } from "../../src/run/run.ts";
import type { ExecutionRequest } from "./execute-runs.ts";
import type { Kill } from "./execute-and-kill.ts";
import { expectContinuation } from "./expect-continuation.ts";
import {
  createKillableProject,
  type ProjectJournals,
  type KillableProject,
} from "./killed-project.ts";

/** The number of runs of each kind, by the prefix of their tasks; 200 and the root. */
const counts = { leaf: 30, chain: 9, join: 1, diamond: 4, step: 6, group: 25, part: 125 };
const partsOfGroup = counts.part / counts.group;

const names = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);

const spawn = (input: object): object => ({
  tool: "sessions_spawn",
  input: { agentId: "worker", ...input },
});

/** The root's requests in its first message. It makes no others, and all later results are delivered to it. */
const calls: object[] = [
  spawn({ task: names("leaf", counts.leaf), parallel: true, label: "leaf" }),
  spawn({ task: names("chain", counts.chain), label: "chain", includeDependencyResult: true }),
  spawn({
    task: "join",
    dependsOn: names("leaf", counts.leaf).map((name) => name.replace(" ", "-")),
    includeDependencyResult: true,
  }),
  spawn({ task: "diamond top", label: "top" }),
  spawn({ task: "diamond left", label: "left", dependsOn: "top" }),
  spawn({ task: "diamond right", label: "right", dependsOn: "top" }),
  spawn({
    task: "diamond bottom",
    dependsOn: ["left", "right"],
    sharedContext: { $left: "reference", $right: "reference" },
  }),
  spawn({
    task: names("group", counts.group),
    parallel: true,
    sharedContext: { tone: "kind" },
    budget: { tokens: 500_000 },
  }),
  ...names("step", counts.step).map((name) => ({
    tool: "subagent",
    input: { subrecipe: "step", parameters: { name }, background: true },
  })),
];

const script = {
  scripts: [
    { when: { task: { matches: "^Conduct" }, turn: 0 }, reply: { calls } },
    { when: { task: { matches: "^Conduct" } }, reply: { text: "all done" } },
    {
      when: { task: { matches: "^group" }, turn: 0 },
      reply: {
        calls: [spawn({ task: names("part of {{task}}:", partsOfGroup), parallel: true })],
      },
    },
    { when: { task: { matches: "^group" } }, reply: { text: "{{task}} is done" } },
    { reply: { text: "did {{task}}" } },
  ],
};

const files = {
  "script.json": JSON.stringify(script),
  ".cadre/agents/worker.md":
    "---\nname: worker\ndescription: works\nmax_turns: 1000\n---\nYou are worker.\n",
  ".cadre/recipes/graph.yaml": `version: 1.0.0
title: Graph
description: Conducts a graph
instructions: You conduct.
prompt: Conduct the graph.
settings: { max_turns: 1000 }
sub_recipes:
  - { name: step, path: ./step.yaml, sequential_when_repeated: true }
`,
  ".cadre/recipes/step.yaml": `version: 1.0.0
title: Step
description: Does a step
prompt: "{{ name }}"
parameters:
  - { key: name, input_type: string, requirement: required, description: which }
`,
};

const execution: ExecutionRequest = {
  options: {
    mode: "auto",
    model: "scripted:script.json",
    limits: { children: 1000, familyRuns: 1000 },
  },
  start: { agent: "graph", budget: { tokens: 20_000_000 } },
};

/** Creates a project whose script plays a graph of 200 runs. */
export async function createGraph(): Promise<KillableProject> {
  return await createKillableProject({ files, execution });
}

/** Executes the graph with `kills`, one after another, and then to its end. Returns the number of kills. */
export async function executeGraph(
  project: KillableProject,
  kills: readonly Kill[],
): Promise<number> {
  let before: ProjectJournals = [];
  let killed = 0;
  for (const kill of [...kills, "never" as const]) {
    const hasBegun = before.length > 0;
    const printed = await project.execute(hasBegun ? "resume" : "start", kill);
    const journal = await project.journal();
    expectContinuation(before, journal);
    before = journal;
    if (printed === null) killed += 1;
    else break;
  }
  expectFinished(before);
  return killed;
}

function expectFinished(journal: ProjectJournals): void {
  for (const [kind, count] of Object.entries(counts)) {
    const found = journal.filter(({ run }) => kindOf(run) === kind);
    expect(found, `runs that are ${kind}`).toHaveLength(count);
  }
  for (const { run, events } of journal) {
    expect(run.status, `${run.task}: ${run.result?.failure?.message}`).toBe("succeeded");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === "run-finished")).toHaveLength(1);
    const steps = events.flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
    expect(new Set(steps).size, `steps of ${run.task} were recorded twice`).toBe(steps.length);
  }
  expectDelivered(journal);
  expectOrder(journal);
  expectPassedOn(journal);
}

/** Returns the kind of a run. Runs of a chain get the result of the previous one. */
function kindOf({ task }: Run): string {
  return /^\w+/.exec(task)?.[0] ?? "";
}

/** Checks that every result entered the conversation of its parent exactly once. */
function expectDelivered(journal: ProjectJournals): void {
  for (const { run, events } of journal) {
    const children = journal.filter((other) => other.run.parentId === run.id);
    const delivered = events.flatMap((event) =>
      event.type === "messages-delivered" ? event.messages.map(({ id }) => id) : [],
    );
    const expected = children.map((child) => child.run.id);
    expect(delivered.toSorted(), `results told to ${run.task}`).toEqual(expected.toSorted());
  }
}

/** Checks that no run began before its dependencies had ended, and that no two steps of the sequence overlap. */
function expectOrder(journal: ProjectJournals): void {
  const ends = new Map(journal.map(({ run }) => [run.id, run.endedAt ?? Infinity]));
  for (const { run } of journal) {
    for (const id of run.dependsOn) {
      expect(run.startedAt).toBeGreaterThanOrEqual(ends.get(id) ?? Infinity);
    }
  }
  const steps = journal.map(({ run }) => run).filter((run) => kindOf(run) === "step");
  // A step may begin and end in the same millisecond in which the previous one ended.
  steps.sort(
    (left, right) =>
      (left.startedAt ?? 0) - (right.startedAt ?? 0) || (left.endedAt ?? 0) - (right.endedAt ?? 0),
  );
  for (const [index, step] of steps.slice(1).entries()) {
    expect(step.startedAt).toBeGreaterThanOrEqual(steps[index]?.endedAt ?? Infinity);
  }
}

/** Checks that the results that runs received from others are the real ones. */
function expectPassedOn(journal: ProjectJournals): void {
  const find = (task: string): ProjectJournals[number] | undefined =>
    journal.find(({ run }) => run.task === task);
  const join = find("join")?.run.result?.text ?? "";
  for (const name of names("leaf", counts.leaf)) expect(join).toContain(`did ${name}\n`);
  const last = find(`chain ${counts.chain}`)?.run.result?.text ?? "";
  for (const name of names("chain", counts.chain)) expect(last).toContain(name);
  const note = find("diamond bottom")?.events.find(
    (event) => event.type === "step-finished" && event.key === "instructions",
  );
  expect(JSON.stringify(note)).toContain("did diamond left");
  expect(JSON.stringify(note)).toContain("did diamond right");
}
