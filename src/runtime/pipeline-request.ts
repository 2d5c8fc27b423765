import type { Delegation } from "../run/delegation.ts";
import type { QueueRequest } from "../run/queue/queue-request.ts";

/** What a request for a pipeline adds to its prompt file, or replaces. */
export type PipelineRequest = Pick<
  Delegation,
  "task" | "parameters" | "label" | "model" | "fallbacks" | "timeoutSeconds" | "budget"
> & {
  /** The id of the run of the pipeline, as in a request for a run. Default: a new id. */
  id?: string;
  /** How it waits for a worker, as in a request for a run. */
  queue?: QueueRequest;
};
