import { CadreError } from "../errors.ts";
import { isTerminal, type RunSpec } from "../run/run.ts";
import type { JsonObject } from "../source/json.ts";
import type { Engine } from "./engine.ts";
import { cancelled, createExecutions, type ExecutionsOptions } from "./executions.ts";
import { cancelElsewhere, resumeFamily, takeUp } from "./recover.ts";

/** Executes runs in this process, over a registry that may be shared with other processes. */
export function createLocalEngine(options: ExecutionsOptions): Engine {
  const { registry } = options;
  const executions = createExecutions(options);

  async function cancel(runId: string, reason: string, by: string): Promise<boolean> {
    const execution = executions.get(runId);
    if (execution === undefined) return await cancelElsewhere(options, runId, { reason, by });
    const run = await registry.run(runId);
    if (run === undefined || isTerminal(run.status)) {
      // Its end is being written.
      await execution.ended;
      return false;
    }
    registry.append(runId, { type: "cancel-requested", reason, by });
    await execution.halt(cancelled(reason));
    return true;
  }

  registry.onRequest(({ runId, data }) => {
    const { reason, by } = data as { reason: string; by: string };
    // A run that ended meanwhile needs no cancelling; a failing registry is told to those who wait for results.
    void cancel(runId, reason, by).catch(() => undefined);
  });

  return {
    async spawn({ definition, ...rest }) {
      const { id, parentId } = rest;
      if (parentId !== null && executions.get(parentId) === undefined) {
        throw new CadreError(
          "closed",
          `The run ${parentId} has ended; it cannot delegate any more.`,
        );
      }
      const hash = registry.putDefinition(definition as unknown as JsonObject);
      const spec: RunSpec = { ...rest, definition: hash };
      registry.append(id, { type: "run-created", spec });
      await registry.flushed();
      const run = await registry.run(id);
      if (run !== undefined) executions.begin(run, spec, definition);
      return id;
    },
    async reattach(parentId, parentStep) {
      const run = await registry.childOf(parentId, parentStep);
      if (run !== undefined) await takeUp(options, executions, run);
      return run?.id;
    },
    async result(runId) {
      const execution = executions.get(runId);
      if (execution !== undefined) return await execution.ended;
      const run = await registry.run(runId);
      if (run?.result) return run.result;
      throw new CadreError("run-not-found", `This process does not execute the run ${runId}.`);
    },
    cancel,
    isExecuting: (runId) => executions.get(runId) !== undefined,
    async resume(rootId) {
      if (executions.get(rootId) !== undefined) return;
      await resumeFamily(options, executions, rootId);
    },
    async close() {
      const reason = cancelled("Cadre was closed.");
      // Roots first, which end their descendants; but a root may be gone after a failure of the registry.
      await Promise.allSettled(executions.all().map((execution) => execution.halt(reason)));
    },
  };
}
