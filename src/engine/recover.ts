import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Failure } from "../run/failure.ts";
import type { Message } from "../run/message.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { endLeftProcesses } from "../tool/process/end-left-processes.ts";
import { addSpending, nothingSpent, openBudget } from "./budget/open-budget.ts";
import { toResultMessage } from "./background-result.ts";
import type { Subject } from "./conduct.ts";
import { endRun } from "./ending.ts";
import type { Executions, ExecutionsOptions } from "./executions.ts";
import { createEndedBudgets } from "./budget/ended-budgets.ts";
import { endOrphans } from "./orphans.ts";
import { admitRecorded } from "./recorded/recorded-run.ts";
import type { RunBudget } from "./budget/run-budget.ts";

/**
 * Begins to execute a run whose earlier process is gone, unless it has ended or is being executed; with it those it
 * started in the background, which no step of it will ask for again. `above` is what it spends from besides its own budget.
 */
export async function takeUp(
  options: ExecutionsOptions,
  executions: Executions,
  run: Run,
  above: RunBudget,
): Promise<void> {
  const found: Found[] = [];
  await collect(options, executions, { run, above }, found);
  beginAll(executions, found);
}

/** All at once: a run must not come to its end before it knows whom it has at work. */
function beginAll(executions: Executions, found: readonly Found[]): void {
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
  options: ExecutionsOptions,
  executions: Executions,
  { run, above, guardian }: { run: Run; above: RunBudget; guardian?: string | undefined },
  found: Found[],
): Promise<void> {
  if (isTerminal(run.status) || executions.get(run.id) !== undefined) return;
  const { registry } = options;
  const { spec, definition } = await admitRecorded(options, run.id);
  const children = run.startedAt === null ? [] : await registry.children(run.id);
  const background = children.filter((child) => child.background === true);
  const spent = spec.budget === undefined ? nothingSpent : await addSpending(registry, run);
  const budget = openBudget(spec, above, spent);
  const messages = await findUnheard(registry, run.id, background);
  const subject = { run, spec, definition, messages, guardian };
  found.push({ subject, budget });
  for (const child of background) {
    await collect(options, executions, { run: child, above: budget }, found);
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

/**
 * Takes over a family from a process that is gone, and the abandoned families that it waits for; see `Engine.resume`.
 * Everything is checked before anything is claimed: a refusal leaves all of them as they are.
 */
export async function resumeFamily(
  options: ExecutionsOptions,
  executions: Executions,
  rootId: string,
): Promise<void> {
  const { registry } = options;
  await finishCancelled(options, executions, rootId);
  const families = await findAwaited(registry, executions, rootId);
  try {
    for (const family of families) await admitFamily(options, family);
  } catch (error) {
    // What is at work elsewhere need not be admitted here.
    throw (await registry.abandoned()).includes(rootId) ? error : owned(families);
  }
  for (const family of families) {
    // One that is waited for may have been taken up by another process meanwhile; that is just as well.
    if (await registry.claim(family)) await takeUpFamily(options, executions, family);
    else if (family === rootId) throw owned(families);
  }
}

/** Ends a family that was being cancelled when its process was killed: that takes no rights, and nothing is executed. */
async function finishCancelled(
  options: ExecutionsOptions,
  executions: Executions,
  rootId: string,
): Promise<void> {
  const { registry } = options;
  const run = await registry.run(rootId);
  const wish = (await registry.events(rootId)).find((event) => event.type === "cancel-requested");
  if (run === undefined || isTerminal(run.status) || wish === undefined) return;
  if (executions.get(rootId) !== undefined) return;
  if (!(await registry.claim(rootId))) throw owned([rootId]);
  await endCancelled(options, executions, run, wish);
}

/** Ends a run that this process owns and does not execute, and everything below it that is to end with it. */
async function endCancelled(
  options: ExecutionsOptions,
  executions: Executions,
  run: Run,
  { reason, keepDetached = false }: Pick<CancelRequest, "reason" | "keepDetached">,
): Promise<void> {
  await endProcesses(options.registry, executions, run.rootId);
  const failure: Failure = { code: "cancelled", message: reason };
  await endRun(options, { status: "cancelled", text: "", failure, warnings: [] }, run.id);
  const isLost = ({ id, detached }: Run): boolean =>
    !executions.has(id) && !(keepDetached && detached === true);
  await endOrphans(options, run, isLost);
}

/** Refuses the first of these families, which waits for the others. */
function owned([rootId = "", ...awaited]: readonly string[]): CadreError {
  const message = `The run ${rootId} is being executed by another process. Watch it with \`cadre events ${rootId} --follow\`, or end it with \`cadre cancel ${rootId}\`.`;
  const commands = awaited.map((id) => `\`cadre resume ${id}\``).join(", ");
  const hint = ` It waits for runs whose process is gone; continue those with ${commands}.`;
  return new CadreError("run-owned", awaited.length === 0 ? message : message + hint);
}

/** The family, and after it every abandoned one that a run of these waits for. */
async function findAwaited(
  registry: Registry,
  executions: Executions,
  rootId: string,
): Promise<string[]> {
  const abandoned = new Set(await registry.abandoned());
  const isHere = (run: Run): boolean =>
    executions.get(run.id) !== undefined || executions.get(run.rootId) !== undefined;
  const families = [rootId];
  // Grows while it is walked.
  for (const family of families) {
    for (const id of (await unfinishedOf(registry, family)).flatMap((run) => run.dependsOn)) {
      const run = await registry.run(id);
      if (run === undefined || isTerminal(run.status) || isHere(run)) continue;
      const isNew = !families.includes(run.rootId);
      if (isNew && abandoned.has(run.rootId)) families.push(run.rootId);
    }
  }
  return families;
}

/** Another process may have the models, variables and trust that this one has not. */
async function admitFamily(options: ExecutionsOptions, rootId: string): Promise<void> {
  for (const { id } of await unfinishedOf(options.registry, rootId)) {
    const { spec } = await admitRecorded(options, id);
    if (spec.model !== null) await options.resolveModel(spec.model);
  }
}

/** A child is taken up with its parent; one whose parent ended has nobody, unless it was to live on. */
async function takeUpFamily(
  options: ExecutionsOptions,
  executions: Executions,
  rootId: string,
): Promise<void> {
  const { registry } = options;
  await endProcesses(registry, executions, rootId);
  const family = await registry.family(rootId);
  executions.letGoFirst(family);
  const endedBudgets = createEndedBudgets(registry, budgetOf);
  const found: Found[] = [];
  const left = new Map<string, Run>();

  function budgetOf(runId: string): RunBudget | undefined {
    const beginning = found.find(({ subject }) => subject.run.id === runId);
    return beginning?.budget ?? executions.get(runId)?.budget;
  }

  /** The nearest ancestor of `run` that is at work. */
  async function findGuardian(run: Run): Promise<string | undefined> {
    let parentId = run.parentId;
    while (parentId !== null && budgetOf(parentId) === undefined) {
      parentId = (await registry.run(parentId))?.parentId ?? null;
    }
    return parentId ?? undefined;
  }

  for (const run of family.filter(({ status }) => !isTerminal(status))) {
    const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
    if (parent === undefined || (isTerminal(parent.status) && run.detached === true)) {
      const above = await endedBudgets.budgetOf(run.parentId);
      await collect(options, executions, { run, above, guardian: await findGuardian(run) }, found);
    } else if (isTerminal(parent.status)) left.set(parent.id, parent);
  }
  beginAll(executions, found);
  endedBudgets.close();
  for (const parent of left.values()) {
    const isLost = ({ id, detached }: Run): boolean => detached !== true && !executions.has(id);
    await endOrphans(options, parent, isLost);
  }
}

/** What was under way is called interrupted, and may be done again: none of it must go on. */
async function endProcesses(
  registry: Registry,
  executions: Executions,
  rootId: string,
): Promise<void> {
  const left = (await unfinishedOf(registry, rootId)).map(({ id }) => id);
  await endLeftProcesses(left.filter((id) => executions.get(id) === undefined));
}

async function unfinishedOf(registry: Registry, rootId: string): Promise<Run[]> {
  return (await registry.family(rootId)).filter((run) => !isTerminal(run.status));
}

/** The wish to end a run; see `Engine.cancel`. */
export interface CancelRequest {
  reason: string;
  by: string;
  keepDetached?: boolean;
}

/** Ends a run that this process does not execute: in the place of its owner when that is gone, else by asking it. */
export async function cancelElsewhere(
  options: ExecutionsOptions,
  executions: Executions,
  runId: string,
  request: CancelRequest,
): Promise<boolean> {
  const { registry } = options;
  const run = await registry.run(runId);
  if (run === undefined || isTerminal(run.status)) return false;
  if (!(await registry.claim(run.rootId))) {
    await registry.request(runId, "cancel", { ...request });
    return true;
  }
  registry.append(runId, { type: "cancel-requested", ...request });
  await endCancelled(options, executions, run, request);
  return true;
}
