import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Failure } from "../run/failure.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { endRun } from "./ending.ts";
import type { Executions, ExecutionsOptions } from "./executions.ts";
import { endOrphans } from "./orphans.ts";

/** Begins to execute a run whose earlier process is gone, unless it has ended or is being executed. */
export async function takeUp(
  { registry }: ExecutionsOptions,
  executions: Executions,
  run: Run,
): Promise<void> {
  if (isTerminal(run.status) || executions.get(run.id) !== undefined) return;
  const spec = await registry.spec(run.id);
  const definition = spec === undefined ? undefined : await registry.definition(spec.definition);
  if (spec === undefined || definition === undefined) {
    throw new CadreError("run-not-found", `The journal of run ${run.id} has lost its beginning.`);
  }
  executions.begin(run, spec, definition as unknown as AgentDefinition);
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
    // A child is taken up by the step of its parent that asked for it; one whose parent ended has nobody.
    const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
    if (parent === undefined) await takeUp(options, executions, run);
    else if (isTerminal(parent.status)) await endOrphans(options, parent, () => true);
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
