import { CadreError } from "../../errors.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Failure } from "../../run/failure.ts";
import { modelInUse } from "../../run/fallback/model-change.ts";
import type { Message } from "../../run/message.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { endLeftProcesses } from "../../tool/process/end-left-processes.ts";
import { addSpending, nothingSpent, openBudget } from "../budget/open-budget.ts";
import { toResultMessage } from "./background-result.ts";
import type { RunToExecute } from "./conduct.ts";
import { endRun } from "./ending.ts";
import type { Executions, ExecutionsOptions } from "./executions.ts";
import { createInheritedBudgets } from "../budget/inherited-budgets.ts";
import { endOrphans } from "./orphans.ts";
import { admitRecorded, type AdmittedRun } from "./recorded-run.ts";
import type { RunBudget } from "../budget/run-budget.ts";

/**
 * Continues a run whose process is gone, unless it has ended or is already running. Also continues its background runs, because
 * no step requests them again. `above` is the budget it spends from besides its own.
 */
export async function takeUp(
  options: ExecutionsOptions,
  executions: Executions,
  run: Run,
  above: RunBudget,
): Promise<void> {
  const found: Found[] = [];
  await collect(options, executions, { run, above, admissions: new Map() }, found);
  beginAll(executions, found);
}

/** Starts all of them at once: a run must know its background runs before it can end. */
function beginAll(executions: Executions, found: readonly Found[]): void {
  for (const { subject, budget } of found) {
    if (executions.get(subject.run.id) === undefined) executions.begin(subject, budget);
    else budget.close();
  }
}

/** Runs admitted before they were claimed, by their ids. They need no second admission. */
type Admissions = Map<string, AdmittedRun>;

/** A run to continue. */
interface Found {
  subject: RunToExecute;
  budget: RunBudget;
}

async function collect(
  options: ExecutionsOptions,
  executions: Executions,
  {
    run,
    above,
    activeParentId,
    admissions,
  }: { run: Run; above: RunBudget; activeParentId?: string | undefined; admissions: Admissions },
  found: Found[],
): Promise<void> {
  if (isTerminal(run.status) || executions.get(run.id) !== undefined) return;
  const { registry } = options;
  const admitted = admissions.get(run.id) ?? (await admitRecorded(options, run.id));
  const { spec, definition } = admitted;
  const children = run.startedAt === null ? [] : await registry.children(run.id);
  const background = children.filter((child) => child.background === true);
  const spent = run.budget === undefined ? nothingSpent : await addSpending(registry, run);
  const budget = openBudget(run, above, spent);
  const messages = await findUndelivered(registry, run.id, background);
  const subject = { run, spec, definition, messages, activeParentId };
  found.push({ subject, budget });
  for (const child of background) {
    await collect(options, executions, { run: child, above: budget, admissions }, found);
  }
}

/**
 * Finds messages that may not have been delivered: results of background runs, and messages sent while no process executed the
 * run.
 */
async function findUndelivered(
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

/** The events of a root run that tell whether and how its family may continue. */
const rootTypes = ["run-created", "cancel-requested", "files-recorded"] as const;

/**
 * Takes over a family whose process is gone and, with `others` (default true), the families for which it waits; see
 * `Engine.resume`. Checks everything before it claims anything, so a refusal changes nothing.
 */
export async function resumeFamily(
  options: ExecutionsOptions,
  executions: Executions,
  { rootId, others = true }: { rootId: string; others?: boolean },
): Promise<void> {
  const { registry } = options;
  const root = await readBegun(registry, rootId);
  await finishCancelled(options, executions, root);
  const families = await findFamilies(registry, executions, { rootId, others });
  requireFiles(registry, root);
  for (const family of [...families.keys()].slice(1)) {
    requireFiles(registry, await readBegun(registry, family));
  }
  const admissions: Admissions = new Map();
  try {
    for (const runs of families.values()) await admitAll(options, runs, admissions);
  } catch (error) {
    // Runs of another living process need no admission here.
    throw (await registry.abandoned()).includes(rootId) ? error : owned([...families.keys()]);
  }
  for (const family of families.keys()) {
    // Another process may have taken over an awaited family meanwhile. That serves as well.
    if (await registry.claim(family)) {
      await takeUpFamily(options, executions, { rootId: family, admissions });
    } else if (family === rootId) throw owned([...families.keys()]);
  }
}

/** A root run, with its events of {@link rootTypes}. */
interface Begun {
  rootId: string;
  begun: readonly RunEvent[];
}

async function readBegun(registry: Registry, rootId: string): Promise<Begun> {
  return { rootId, begun: await registry.events(rootId, { types: rootTypes }) };
}

/** Ends a family that was being cancelled when its process was killed. Nothing is executed, so no rights are needed. */
async function finishCancelled(
  options: ExecutionsOptions,
  executions: Executions,
  { rootId, begun }: Begun,
): Promise<void> {
  const { registry } = options;
  const wish = begun.find((event) => event.type === "cancel-requested");
  if (wish === undefined) return;
  const run = await registry.run(rootId);
  if (run === undefined || isTerminal(run.status)) return;
  if (executions.get(rootId) !== undefined) return;
  if (!(await registry.claim(rootId))) throw owned([rootId]);
  await endCancelled(options, executions, run, wish);
}

/**
 * Refuses a family whose files are at a remote, unless this process has a checkout of them. Also refuses a family whose submitter
 * was killed before it pushed them.
 */
function requireFiles(registry: Registry, { rootId, begun }: Begun): void {
  if (registry.files !== undefined) return;
  const recorded = begun.find((event) => event.type === "files-recorded");
  if (recorded !== undefined) {
    const message = `The files of the run ${rootId} are at ${recorded.remote}, in a checkout that only workers have. Start one to continue it: cadre worker --clone ${recorded.remote}`;
    throw new CadreError("invalid-argument", message);
  }
  const [created] = begun;
  if (created?.type !== "run-created" || created.spec.filesThrough !== "git") return;
  const message = `The run ${rootId} was submitted to workers with its files through git, but its submission did not finish. Submit it again from its folder: CADRE_ENGINE=dbos cadre resume ${rootId}`;
  throw new CadreError("invalid-argument", message);
}

/** Ends a run that this process owns but does not execute, and the descendants that end with it. */
async function endCancelled(
  options: ExecutionsOptions,
  executions: Executions,
  run: Run,
  { reason, keepDetached = false }: Pick<CancelRequest, "reason" | "keepDetached">,
): Promise<void> {
  await endProcesses(executions, await options.registry.family(run.rootId));
  const failure: Failure = { code: "cancelled", message: reason };
  await endRun(options, { status: "cancelled", text: "", failure }, run.id);
  const isLost = ({ id, detached }: Run): boolean =>
    !executions.has(id) && !(keepDetached && detached === true);
  await endOrphans(options, run, isLost);
}

/** The refusal of the first of these families, which waits for the others. */
function owned([rootId = "", ...awaited]: readonly string[]): CadreError {
  const message = `The run ${rootId} is being executed by another process. Watch it with \`cadre events ${rootId} --follow\`, or end it with \`cadre cancel ${rootId}\`.`;
  const commands = awaited.map((id) => `\`cadre resume ${id}\``).join(", ");
  const hint = ` It waits for runs whose process is gone; continue those with ${commands}.`;
  return new CadreError("run-owned", awaited.length === 0 ? message : message + hint);
}

/**
 * Finds the unfinished runs of the family. With `others`, also finds those of the families that these runs wait for and that have
 * neither a process nor a worker. The family itself comes first.
 */
async function findFamilies(
  registry: Registry,
  executions: Executions,
  { rootId, others }: { rootId: string; others: boolean },
): Promise<Map<string, readonly Run[]>> {
  const isHere = (run: Run): boolean =>
    executions.get(run.id) !== undefined || executions.get(run.rootId) !== undefined;
  const families = new Map<string, readonly Run[]>([
    [rootId, await unfinishedOf(registry, rootId)],
  ]);
  if (!others) return families;
  // Few families wait for another one, and finding abandoned families reads all unfinished runs.
  let left: ReadonlySet<string> | undefined;
  // The map grows during the loop.
  for (const runs of families.values()) {
    for (const id of runs.flatMap((run) => run.dependsOn)) {
      const run = await registry.run(id);
      if (run === undefined || isTerminal(run.status) || isHere(run)) continue;
      if (families.has(run.rootId)) continue;
      left ??= new Set(await findAbandoned(registry));
      if (left.has(run.rootId)) {
        families.set(run.rootId, await unfinishedOf(registry, run.rootId));
      }
    }
  }
  return families;
}

/** Admits runs before they are claimed. Another process may have models, variables and trust that this one lacks. */
async function admitAll(
  options: ExecutionsOptions,
  runs: readonly Run[],
  admissions: Admissions,
): Promise<void> {
  for (const run of runs) {
    const admitted = await admitRecorded(options, run.id);
    // A claim may bring later files into a checkout, including definition files.
    if (options.registry.files === undefined) admissions.set(run.id, admitted);
    const model = modelInUse(admitted.spec, run);
    if (model !== null) await options.resolveModel(model, run.rootId);
  }
}

/** Continues the runs of a family. A child continues with its parent. A child of an ended parent ends, unless it is detached. */
async function takeUpFamily(
  options: ExecutionsOptions,
  executions: Executions,
  { rootId, admissions }: { rootId: string; admissions: Admissions },
): Promise<void> {
  const { registry } = options;
  const family = await registry.family(rootId);
  await endProcesses(executions, family);
  executions.prefer(family);
  const endedBudgets = createInheritedBudgets(registry, budgetOf);
  const found: Found[] = [];
  const left = new Map<string, Run>();

  function budgetOf(runId: string): RunBudget | undefined {
    const beginning = found.find(({ subject }) => subject.run.id === runId);
    return beginning?.budget ?? executions.get(runId)?.budget;
  }

  /** Finds the nearest running ancestor of `run`. */
  async function findActiveParent(run: Run): Promise<string | undefined> {
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
      const activeParentId = await findActiveParent(run);
      await collect(options, executions, { run, above, activeParentId, admissions }, found);
    } else if (isTerminal(parent.status)) left.set(parent.id, parent);
  }
  beginAll(executions, found);
  endedBudgets.close();
  for (const parent of left.values()) {
    const isLost = ({ id, detached }: Run): boolean => detached !== true && !executions.has(id);
    await endOrphans(options, parent, isLost);
  }
}

/**
 * Ends processes that an earlier process left behind. Interrupted work may be repeated, so none of it may still be running. A
 * family that executed nothing left none.
 */
async function endProcesses(executions: Executions, family: readonly Run[]): Promise<void> {
  if (family.every(({ startedAt }) => startedAt === null)) return;
  const left = family.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
  await endLeftProcesses(left.filter((id) => executions.get(id) === undefined));
}

async function unfinishedOf(registry: Registry, rootId: string): Promise<Run[]> {
  return (await registry.family(rootId)).filter((run) => !isTerminal(run.status));
}

/** A request to cancel a run; see `Engine.cancel`. */
export interface CancelRequest {
  reason: string;
  by: string;
  keepDetached?: boolean;
}

/** Cancels a run that this process does not execute: directly when the owner is gone, otherwise by a request to the owner. */
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
