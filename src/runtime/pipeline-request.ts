import type { Delegation } from "../run/delegation.ts";
import type { QueueRequest } from "../run/queue/queue-request.ts";

/** The additions of a request to a pipeline's prompt file, and the values that it overrides. */
export type PipelineRequest = Pick<
  Delegation,
  "task" | "parameters" | "label" | "model" | "fallbacks" | "timeoutSeconds" | "budget"
> & {
  /** The id of the pipeline's run, as in a request for a run. Default: a new id. */
  id?: string;
  /** How the run waits for a worker, with the same rules as a request for a run. */
  queue?: QueueRequest;
};
