import type { Registry } from "../../registry/registry.ts";
import { isTerminal } from "../../run/run.ts";
import type { GivenAnswer } from "../run-context/answer-box.ts";
import type { Executions } from "./executions.ts";

/** Receives answers to questions of the runs of this process. */
export interface Answering {
  /** Receives an answer from the registry. Returns `false` while its question is not asked yet, as after a resume. */
  receive(runId: string, given: GivenAnswer): Promise<boolean>;
}

/** Creates the receiver of answers. The first answer to a question counts; later ones have no effect. */
export function createAnswering(registry: Registry, executions: Executions): Answering {
  return {
    async receive(runId, given) {
      const run = await registry.run(runId);
      if (run === undefined || isTerminal(run.status)) return true;
      if (executions.get(runId)?.answers.give(given) === true) return true;
      const events = await registry.events(runId);
      return events.some(
        (event) => event.type === "approval-answered" && event.stepKey === given.stepKey,
      );
    },
  };
}
