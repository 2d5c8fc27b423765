import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Failure } from "../run/failure.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { addSpending } from "./budgets.ts";
import { toResultMessage } from "./background-result.ts";
import type { Subject } from "./conduct.ts";
import { endRun } from "./ending.ts";
import type { Executions, ExecutionsOptions } from "./executions.ts";
import { endOrphans } from "./orphans.ts";

/**
 * Begins to execute a run whose earlier process is gone, unless it has ended or is being executed; with it those it
 * started in the background, which no step of it will ask for again.
 */
export async function takeUp(
  { registry }: ExecutionsOptions,
  executions: Executions,
  run: Run,
): Promise<void> {
  const subjects: Subject[] = [];
  await collectSubjects(registry, run, subjects);
  // All at once: a run must not come to its end before it knows whom it has at work.
  for (const subject of subjects) {
    if (executions.get(subject.run.id) === undefined) executions.begin(subject);
  }
}

async function collectSubjects(registry: Registry, run: Run, found: Subject[]): Promise<void> {
  if (isTerminal(run.status)) return;
  const spec = await registry.spec(run.id);
  const definition = spec === undefined ? undefined : await registry.definition(spec.definition);
  if (spec === undefined || definition === undefined) {
    throw new CadreError("run-not-found", `The journal of run ${run.id} has lost its beginning.`);
  }
  const children = run.startedAt === null ? [] : await registry.children(run.id);
  const background = children.filter((child) => child.background === true);
  const finished = background.flatMap(({ id, agent, label, result }) =>
    result === null ? [] : [toResultMessage({ id, agent, label }, result)],
  );
  const spent =
    spec.budget === undefined
      ? {}
      : { spent: addSpending(run.id, await registry.family(run.rootId)) };
  found.push({
    run,
    spec,
    definition: definition as unknown as AgentDefinition,
    finished,
    ...spent,
  });
  for (const child of background) await collectSubjects(registry, child, found);
}

/** Takes over a family from a process that is gone; see `Engine.resume`. */
export async function resumeFamily(
  options: ExecutionsOptions,
  executions: Executions,
  rootId: string,
): Promise<void> {
  const { registry, resolveModel } = options;
  // Before it is claimed: another process may have the models that this one has not.
  for (const { model } of await unfinishedOf(registry, rootId)) {
    if (model !== null) await resolveModel(model);
  }
  if (!(await registry.claim(rootId))) {
    throw new CadreError(
      "run-owned",
      `The run ${rootId} is being executed by another process. Watch it with \`cadre events ${rootId} --follow\`, or end it with \`cadre cancel ${rootId}\`.`,
    );
  }
  for (const run of await unfinishedOf(registry, rootId)) {
    // A child is taken up with its parent; one whose parent ended has nobody, unless it was to live on.
    const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
    if (parent === undefined || (isTerminal(parent.status) && run.detached === true)) {
      await takeUp(options, executions, run);
    } else if (isTerminal(parent.status)) {
      const isLost = ({ id, detached }: Run): boolean =>
        detached !== true && executions.get(id) === undefined;
      await endOrphans(options, parent, isLost);
    }
    for (const id of run.dependsOn) await resumeDependency(options, executions, id);
  }
}

/** What a run waits for may lie in another family, which is at work elsewhere or has to be resumed too. */
async function resumeDependency(
  options: ExecutionsOptions,
  executions: Executions,
  runId: string,
): Promise<void> {
  const run = await options.registry.run(runId);
  if (run === undefined || isTerminal(run.status) || executions.get(run.rootId) !== undefined)
    return;
  try {
    await resumeFamily(options, executions, run.rootId);
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
