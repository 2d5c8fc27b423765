import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Failure } from "../run/failure.ts";
import type { Message } from "../run/message.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { addSpending, nothingSpent, openBudget } from "./budget/open-budget.ts";
import { toResultMessage } from "./background-result.ts";
import type { Subject } from "./conduct.ts";
import { endRun } from "./ending.ts";
import type { Executions, ExecutionsOptions } from "./executions.ts";
import { createEndedBudgets } from "./budget/ended-budgets.ts";
import { endOrphans } from "./orphans.ts";
import type { RunBudget } from "./budget/run-budget.ts";

/**
 * Begins to execute a run whose earlier process is gone, unless it has ended or is being executed; with it those it
 * started in the background, which no step of it will ask for again. `above` is what it spends from besides its own budget.
 */
export async function takeUp(
  { registry }: ExecutionsOptions,
  executions: Executions,
  run: Run,
  above: RunBudget,
): Promise<void> {
  const found: Found[] = [];
  await collect(registry, executions, { run, above }, found);
  // All at once: a run must not come to its end before it knows whom it has at work.
  for (const { subject, budget } of found) {
    if (executions.get(subject.run.id) === undefined) executions.begin(subject, budget);
    else budget.close();
  }
}

/** A run to take up. */
interface Found {
  subject: Subject;
  budget: RunBudget;
}

async function collect(
  registry: Registry,
  executions: Executions,
  { run, above }: { run: Run; above: RunBudget },
  found: Found[],
): Promise<void> {
  if (isTerminal(run.status) || executions.get(run.id) !== undefined) return;
  const spec = await registry.spec(run.id);
  const definition = spec === undefined ? undefined : await registry.definition(spec.definition);
  if (spec === undefined || definition === undefined) {
    throw new CadreError("run-not-found", `The journal of run ${run.id} has lost its beginning.`);
  }
  const children = run.startedAt === null ? [] : await registry.children(run.id);
  const background = children.filter((child) => child.background === true);
  const spent = spec.budget === undefined ? nothingSpent : await addSpending(registry, run);
  const budget = openBudget(spec, above, spent);
  const messages = await findUnheard(registry, run.id, background);
  const subject = { run, spec, definition: definition as unknown as AgentDefinition, messages };
  found.push({ subject, budget });
  for (const child of background) {
    await collect(registry, executions, { run: child, above: budget }, found);
  }
}

/** What a run may not have heard: how runs in the background ended, and what was said to it while nobody was there to take it. */
async function findUnheard(
  registry: Registry,
  runId: string,
  background: readonly Run[],
): Promise<Message[]> {
  const results = background.flatMap(({ id, agent, label, result }) =>
    result === null ? [] : [toResultMessage({ id, agent, label }, result)],
  );
  const requests = await registry.requestsTo(runId);
  const words = requests.filter(({ kind }) => kind === "message");
  return [...results, ...words.map(({ data }) => data as unknown as Message)];
}

/** Takes over a family from a process that is gone; see `Engine.resume`. */
export async function resumeFamily(
  options: ExecutionsOptions,
  executions: Executions,
  rootId: string,
  visited: Set<string> = new Set(),
): Promise<void> {
  const { registry, resolveModel, checkResumable } = options;
  // Before it is claimed: another process may have the models and variables that this one has not.
  for (const { id, model } of await unfinishedOf(registry, rootId)) {
    if (model !== null) await resolveModel(model);
    const spec = await registry.spec(id);
    if (spec !== undefined) await checkResumable?.(spec);
  }
  if (!(await registry.claim(rootId))) {
    throw new CadreError(
      "run-owned",
      `The run ${rootId} is being executed by another process. Watch it with \`cadre events ${rootId} --follow\`, or end it with \`cadre cancel ${rootId}\`.`,
    );
  }
  const endedBudgets = createEndedBudgets(registry, (runId) => executions.get(runId)?.budget);
  const unfinished = await unfinishedOf(registry, rootId);
  for (const run of unfinished) {
    // A child is taken up with its parent; one whose parent ended has nobody, unless it was to live on.
    const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
    if (parent === undefined || (isTerminal(parent.status) && run.detached === true)) {
      await takeUp(options, executions, run, await endedBudgets.budgetOf(run.parentId));
    } else if (isTerminal(parent.status)) {
      const isLost = ({ id, detached }: Run): boolean =>
        detached !== true && executions.get(id) === undefined;
      await endOrphans(options, parent, isLost);
    }
  }
  endedBudgets.close();
  visited.add(rootId);
  for (const { dependsOn } of unfinished) {
    for (const id of dependsOn)
      await resumeDependency(options, executions, { runId: id, resumed: visited });
  }
}

/** What a run waits for may lie in another family, which is at work elsewhere or has to be resumed too. */
async function resumeDependency(
  options: ExecutionsOptions,
  executions: Executions,
  { runId, resumed }: { runId: string; resumed: Set<string> },
): Promise<void> {
  const run = await options.registry.run(runId);
  if (run === undefined || isTerminal(run.status) || resumed.has(run.rootId)) return;
  if (executions.get(run.id) !== undefined || executions.get(run.rootId) !== undefined) return;
  try {
    await resumeFamily(options, executions, run.rootId, resumed);
  } catch (error) {
    if (!(error instanceof CadreError && error.code === "run-owned")) throw error;
  }
}

async function unfinishedOf(registry: Registry, rootId: string): Promise<Run[]> {
  return (await registry.family(rootId)).filter((run) => !isTerminal(run.status));
}

/** Ends a run that this process does not execute: in the place of its owner when that is gone, else by asking it. */
export async function cancelElsewhere(
  options: ExecutionsOptions,
  runId: string,
  request: { reason: string; by: string },
): Promise<boolean> {
  const { registry } = options;
  const run = await registry.run(runId);
  if (run === undefined || isTerminal(run.status)) return false;
  if (!(await registry.claim(run.rootId))) {
    await registry.request(runId, "cancel", request);
    return true;
  }
  const failure: Failure = { code: "cancelled", message: request.reason };
  registry.append(runId, { type: "cancel-requested", ...request });
  await endRun(options, { status: "cancelled", text: "", failure, warnings: [] }, runId);
  await endOrphans(options, run, () => true);
  return true;
}
