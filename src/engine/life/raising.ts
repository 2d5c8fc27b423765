import { CadreError } from "../../errors.ts";
import type { Clock } from "../../clock.ts";
import type { Registry } from "../../registry/registry.ts";
import { budgetLimits, describeRaise, type LimitRaise, raiseBudget } from "../../run/budget.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { createRunId } from "../../run/run-id.ts";
import type { JsonObject } from "../../source/json.ts";
import { resources } from "../budget/run-budget.ts";
import type { Execution, Executions } from "./executions.ts";

/** Raises the limits of runs while they are active. */
export interface Raising {
  /** See `Engine.raise`. */
  raise(runId: string, raise: LimitRaise, by: string): Promise<void>;
  /** Raises limits at the request of another process. Returns `false` while the run is not here yet. */
  receive(runId: string, data: RaiseRequest): Promise<boolean>;
}

/** A request to raise limits, as processes send it. */
export interface RaiseRequest {
  id: string;
  raise: LimitRaise;
  by: string;
}

/** Creates limit raising for the runs of this process. For other runs it sends requests to their processes. */
export function createRaising(
  { registry, clock }: { registry: Registry; clock: Clock },
  executions: Executions,
): Raising {
  /** Records the raise and applies it. */
  async function apply(execution: Execution, request: RaiseRequest): Promise<void> {
    const { spec, budget, raises } = execution;
    checkFree(execution, request.raise);
    registry.append(spec.id, { type: "limits-raised", ...request });
    for (const resource of resources) {
      const amount = request.raise.budget?.[resource];
      if (amount !== undefined) budget.pools[resource]?.raise(amount);
    }
    raises.onRaise?.(request.raise);
    await registry.flushed();
  }

  async function isRecorded(runId: string, id: string): Promise<boolean> {
    const events = await registry.events(runId, { types: ["limits-raised"] });
    return events.some((event) => event.type === "limits-raised" && event.id === id);
  }

  return {
    async raise(runId, raise, by) {
      const run = await registry.run(runId);
      checkRaise(run, runId, raise);
      const request = { id: createRunId(clock.now()), raise, by };
      const execution = executions.get(runId);
      if (execution !== undefined) return await apply(execution, request);
      await registry.request(runId, "raise", request as unknown as JsonObject);
    },
    async receive(runId, request) {
      const run = await registry.run(runId);
      if (run === undefined || isTerminal(run.status)) return true;
      if (await isRecorded(runId, request.id)) return true;
      const execution = executions.get(runId);
      if (execution === undefined) return false;
      try {
        await apply(execution, request);
      } catch (error) {
        if (!(error instanceof CadreError) || registry.failed.aborted) throw error;
        // The process that asked may be gone.
        registry.append(runId, { type: "warning-raised", message: error.message });
        await registry.flushed();
      }
      return true;
    },
  };
}

/** Adds to the limits that a run ended with, for its retry. */
export function raiseLimits<Limits extends { timeoutSeconds: number }>(
  run: Run,
  limits: Limits,
  raise: LimitRaise = {},
): Limits & Pick<Run, "budget"> {
  const { budget, addedSeconds = 0 } = run;
  const timeoutSeconds = limits.timeoutSeconds + addedSeconds + (raise.timeoutSeconds ?? 0);
  if (budget === undefined) return { ...limits, timeoutSeconds };
  return { ...limits, timeoutSeconds, budget: raiseBudget(budget, raise.budget ?? {}) };
}

function checkRaise(run: Run | undefined, runId: string, raise: LimitRaise): asserts run is Run {
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  if (isTerminal(run.status)) {
    const message = `The limits of run ${runId} cannot be raised: it has ended (${run.status}). Retry a failed run with higher limits: cadre retry ${runId} --timeout TIME --budget LIMITS.`;
    throw new CadreError("invalid-argument", message);
  }
  requireLimits(run, raise);
}

/** @throws CadreError `invalid-argument` for limits that the run does not have: raising them would change nothing. */
export function requireLimits({ id, budget = {}, parentId }: Run, raise: LimitRaise): void {
  const { budget: added = {} } = raise;
  if (describeRaise(raise) === "") {
    throw new CadreError("invalid-argument", `Expected limits to raise for run ${id}; got none.`);
  }
  const missing = budgetLimits.filter(
    (limit) => added[limit] !== undefined && budget[limit] === undefined,
  );
  if (missing.length === 0) return;
  const above =
    parentId === null ? "" : ` If a run above it has one, raise it there (parent: ${parentId}).`;
  const message = `The run ${id} has no budget of its own in ${missing.join(", ")}, so there is nothing to raise.${above}`;
  throw new CadreError("invalid-argument", message);
}

/** Refuses a raise that exceeds the free amount of the budgets above the run. */
function checkFree({ spec, budget }: Execution, raise: LimitRaise): void {
  for (const resource of resources) {
    const [pool, amount] = [budget.pools[resource], raise.budget?.[resource]];
    const free = pool?.from?.left ?? Infinity;
    if (amount === undefined || pool?.owner !== spec.id || amount <= free) continue;
    const message = `The ${resource} of run ${spec.id} cannot be raised by ${amount}: only ${free} of the ${pool.from?.limit} of run ${pool.from?.owner} are free. Raise those first, or ask for less.`;
    throw new CadreError("budget-exceeded", message, {
      details: { resource, asked: amount, free },
    });
  }
}
