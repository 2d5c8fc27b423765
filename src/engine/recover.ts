import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Failure } from "../run/failure.ts";
import type { Message } from "../run/message.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { endLeftProcesses } from "../tool/process/end-left-processes.ts";
import { addSpending, nothingSpent, openPurse } from "./budgets.ts";
import { toResultMessage } from "./background-result.ts";
import type { Subject } from "./conduct.ts";
import { endRun } from "./ending.ts";
import type { Executions, ExecutionsOptions } from "./executions.ts";
import { createEstates } from "./estates.ts";
import { endOrphans } from "./orphans.ts";
import type { Purse } from "./purse.ts";

/**
 * Begins to execute a run whose earlier process is gone, unless it has ended or is being executed; with it those it
 * started in the background, which no step of it will ask for again. `above` is what it spends from besides its own budget.
 */
export async function takeUp(
  { registry }: ExecutionsOptions,
  executions: Executions,
  run: Run,
  above: Purse,
): Promise<void> {
  const found: Found[] = [];
  await collect(registry, executions, { run, above }, found);
  beginAll(executions, found);
}

/** All at once: a run must not come to its end before it knows whom it has at work. */
function beginAll(executions: Executions, found: readonly Found[]): void {
  for (const { subject, purse } of found) {
    if (executions.get(subject.run.id) === undefined) executions.begin(subject, purse);
    else purse.close();
  }
}

/** A run to take up. */
interface Found {
  subject: Subject;
  purse: Purse;
}

async function collect(
  registry: Registry,
  executions: Executions,
  { run, above, guardian }: { run: Run; above: Purse; guardian?: string | undefined },
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
  const purse = openPurse(spec, above, spent);
  const messages = await findUnheard(registry, run.id, background);
  const agent = definition as unknown as AgentDefinition;
  const subject = { run, spec, definition: agent, messages, guardian };
  found.push({ subject, purse });
  for (const child of background) {
    await collect(registry, executions, { run: child, above: purse }, found);
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
  await endProcesses(registry, rootId);
  const family = await registry.family(rootId);
  executions.letGoFirst(family);
  const unfinished = family.filter(({ status }) => !isTerminal(status));
  await takeUpFamily(options, executions, unfinished);
  visited.add(rootId);
  for (const { dependsOn } of unfinished) {
    for (const id of dependsOn)
      await resumeDependency(options, executions, { runId: id, resumed: visited });
  }
}

/** A child is taken up with its parent; one whose parent ended has nobody, unless it was to live on. */
async function takeUpFamily(
  options: ExecutionsOptions,
  executions: Executions,
  unfinished: readonly Run[],
): Promise<void> {
  const { registry } = options;
  const estates = createEstates(registry, purseOf);
  const found: Found[] = [];
  const left = new Map<string, Run>();

  function purseOf(runId: string): Purse | undefined {
    const beginning = found.find(({ subject }) => subject.run.id === runId);
    return beginning?.purse ?? executions.get(runId)?.purse;
  }

  /** The nearest ancestor of `run` that is at work. */
  async function findGuardian(run: Run): Promise<string | undefined> {
    let parentId = run.parentId;
    while (parentId !== null && purseOf(parentId) === undefined) {
      parentId = (await registry.run(parentId))?.parentId ?? null;
    }
    return parentId ?? undefined;
  }

  for (const run of unfinished) {
    const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
    if (parent === undefined || (isTerminal(parent.status) && run.detached === true)) {
      const above = await estates.purseOf(run.parentId);
      await collect(registry, executions, { run, above, guardian: await findGuardian(run) }, found);
    } else if (isTerminal(parent.status)) left.set(parent.id, parent);
  }
  beginAll(executions, found);
  estates.close();
  for (const parent of left.values()) {
    const isLost = ({ id, detached }: Run): boolean =>
      detached !== true && executions.get(id) === undefined;
    await endOrphans(options, parent, isLost);
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

/** What was under way is called interrupted, and may be done again: none of it must go on. */
async function endProcesses(registry: Registry, rootId: string): Promise<void> {
  await endLeftProcesses((await unfinishedOf(registry, rootId)).map(({ id }) => id));
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
  await endProcesses(registry, run.rootId);
  const failure: Failure = { code: "cancelled", message: request.reason };
  registry.append(runId, { type: "cancel-requested", ...request });
  await endRun(options, { status: "cancelled", text: "", failure, warnings: [] }, runId);
  const isLost = ({ id, detached }: Run): boolean =>
    executions.get(id) === undefined && !(request.keepDetached === true && detached === true);
  await endOrphans(options, run, isLost);
  return true;
}
