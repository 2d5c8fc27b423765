import { createRandom, type Random } from "./random.ts";

/** A plan of a family of runs. */
export interface FamilyPlan {
  seed: number;
  /** `conversation`: a recipe delegates. `graph`: the file `graph.yaml` starts the runs. */
  kind: "conversation" | "graph";
  /** The task of each run except a graph's root; unique. */
  tasks: readonly string[];
  /** The tasks of the runs that must not overlap. */
  sequence: readonly string[];
  /** The side effects of the runs, each the name of a command; unique. */
  effects: readonly string[];
  /** Texts by path, relative to the workspace. */
  files: Readonly<Record<string, string>>;
}

/** The maximum depth of a run below the root. */
const deepest = 3;
const maxRuns = 142;

interface Call {
  tool: string;
  input: Record<string, unknown>;
}

interface Planner {
  random: Random;
  /** The number of runs that may still be planned. */
  left: number;
  tasks: string[];
  sequence: string[];
  effects: string[];
  rules: object[];
}

/** Plans the family of a seed: its shape, the way each run is started, and its commands. */
export function planFamily(seed: number): FamilyPlan {
  const random = createRandom(seed);
  const size = random.chance(0.2) ? maxRuns : 4 + random.below(40);
  const planner: Planner = {
    random,
    left: size - 1,
    tasks: [],
    sequence: [],
    effects: [],
    rules: [],
  };
  const kind = random.chance(0.2) ? "graph" : "conversation";
  const graph = kind === "graph" ? planGraph(planner) : planConversation(planner);
  const { tasks, sequence, effects, rules } = planner;
  const lastRule = {
    when: { task: { matches: lastLine("(?<own>\\w+)") } },
    reply: { text: "did {{own}}" },
  };
  const script = { scripts: [...rules, lastRule] };
  const files = { ...definitions, ...graph, "script.json": JSON.stringify(script) };
  return { seed, kind, tasks, sequence, effects, files };
}

/** Returns a pattern for the last line of a text, because a task with earlier results ends with its own text. */
const lastLine = (pattern: string): string => `^${pattern}\\s*(?![^])`;

const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: plays ${name}\nmax_turns: 1000\n${more}---\nYou are ${name}.\n`;

const definitions: Readonly<Record<string, string>> = {
  ".cadre/agents/worker.md": agent("worker"),
  ".cadre/agents/sleeper.md": agent("sleeper", "background: true\n"),
  ".cadre/recipes/conduct.yaml": `version: 1.0.0
title: Conduct
description: Conducts a family
instructions: You conduct.
prompt: root
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

function planConversation(planner: Planner): Record<string, string> {
  planner.tasks.push("root");
  planTurns(planner, "root", 0);
  return {};
}

/** Plans runs that depend on earlier ones at random. Each is a conversation that may delegate. */
function planGraph(planner: Planner): Record<string, string> {
  const { random } = planner;
  const labels: string[] = [];
  const runs: object[] = [];
  for (let count = 2 + random.below(8); count > 0 && planner.left > 0; count -= 1) {
    const task = planRun(planner, 1);
    const dependsOn = labels.filter(() => random.chance(0.3));
    const includeDependencyResult = dependsOn.length > 0 && random.chance(0.5);
    runs.push({ label: task, agent: "worker", task, dependsOn, includeDependencyResult });
    labels.push(task);
  }
  return { "graph.yaml": JSON.stringify({ runs }) };
}

/** Plans one more run at `depth`. Returns its task. */
function planRun(planner: Planner, depth: number): string {
  const task = `n${planner.tasks.length}`;
  planner.tasks.push(task);
  planner.left -= 1;
  planTurns(planner, task, depth);
  return task;
}

/** Plans the model's replies in a run: a few messages with calls, and then, by the last rule, a text. */
function planTurns(planner: Planner, task: string, depth: number): void {
  const { random, rules } = planner;
  const turns = depth === 0 ? 2 + random.below(4) : random.below(3);
  for (let turn = 0; turn < turns; turn += 1) {
    const calls: Call[] = [];
    if (random.chance(0.7)) calls.push(planEffect(planner, task));
    const groups = depth === 0 ? 1 + random.below(4) : random.below(3);
    for (let group = 0; group < groups; group += 1) {
      if (planner.left > 0 && depth < deepest) calls.push(...planGroup(planner, depth));
    }
    if (random.chance(0.2)) calls.push(planEffect(planner, task));
    if (random.chance(0.2)) calls.push({ tool: "sessions_wait", input: {} });
    if (calls.length === 0) calls.push({ tool: "Think", input: { thought: `${task} ${turn}` } });
    rules.push({ when: { task: { matches: lastLine(task) }, turn }, reply: { calls } });
  }
}

/** The ways to start runs. Only the root has the recipe `step`. */
const ways = ["agent", "sleeper", "ad hoc", "list", "list", "labels"] as const;
type Way = (typeof ways)[number] | "step";

/**
 * Budgets by depth. A run reserves the budgets of its children from its own. They are large because each kill spends the reservations
 * of the requests in flight.
 */
const budgets = [
  { tokens: 10_000_000_000, toolCalls: 100_000 },
  { tokens: 50_000_000, toolCalls: 500 },
];

function planEffect({ random, effects }: Planner, task: string): Call {
  const name = `${task}-${effects.length}`;
  effects.push(name);
  const pause = random.chance(0.3) ? `sleep 0.0${random.below(9)}; ` : "";
  return { tool: "Bash", input: { command: `${pause}echo ${name} >> effects.log` } };
}

/** Plans the calls that start one or several runs in one of the possible ways. */
function planGroup(planner: Planner, depth: number): Call[] {
  const { random } = planner;
  const budget = random.chance(0.2) && depth < 2 ? { budget: budgets[depth] } : {};
  const background = random.chance(0.5) ? { background: true } : {};
  const way: Way = random.pick(depth === 0 ? [...ways, "step", "step"] : ways);
  switch (way) {
    case "agent":
      return [{ tool: "Agent", input: { prompt: planRun(planner, depth + 1), type: "worker" } }];
    case "sleeper":
      return [{ tool: "Agent", input: { prompt: planRun(planner, depth + 1), type: "sleeper" } }];
    case "ad hoc": {
      const instructions = planRun(planner, depth + 1);
      return [{ tool: "Subagent", input: { instructions, ...background, ...budget } }];
    }
    case "step": {
      const name = planRun(planner, depth + 1);
      planner.sequence.push(name);
      const call = { subrecipe: "step", parameters: { name }, ...background };
      return [{ tool: "Subagent", input: call }];
    }
    case "list":
      return [planList(planner, depth, budget)];
    case "labels":
      return planLabels(planner, depth);
  }
}

function planList(planner: Planner, depth: number, budget: object): Call {
  const { random } = planner;
  const count = Math.min(planner.left, 1 + random.below(5));
  const task = Array.from({ length: count }, () => planRun(planner, depth + 1));
  const order = random.pick<object>([{ parallel: true }, {}, { includeDependencyResult: true }]);
  const detach = random.chance(0.2) ? { detach: true } : {};
  const input = {
    agentId: "worker",
    task,
    label: `list-${task[0]}`,
    ...order,
    ...detach,
    ...budget,
  };
  return { tool: "sessions_spawn", input };
}

/** Plans a run, and another run of the same message that depends on it by its label. */
function planLabels(planner: Planner, depth: number): Call[] {
  const first = planRun(planner, depth + 1);
  const label = `label-${first}`;
  const calls = [{ tool: "sessions_spawn", input: { agentId: "worker", task: first, label } }];
  if (planner.left === 0) return calls;
  const task = planRun(planner, depth + 1);
  const sharedContext = { [`$${label}`]: "reference" };
  const more = planner.random.chance(0.5) ? { sharedContext } : { includeDependencyResult: true };
  const input = { agentId: "worker", task, dependsOn: label, ...more };
  return [...calls, { tool: "sessions_spawn", input }];
}
