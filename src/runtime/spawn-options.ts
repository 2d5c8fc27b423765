import type { ContinueDelegation } from "../delegate/request/assign-continuation.ts";
import type { ModelObject } from "../model/model-object.ts";
import type { Delegation } from "../run/delegation.ts";
import type { QueueRequest } from "../run/queue/queue-request.ts";
import type { JsonObject } from "../source/json.ts";
import type { PromptAgent } from "./library-agent.ts";

/** A request for a run. `Output` is the type of `result.output`. */
export interface SpawnOptions<Output = unknown> extends Omit<
  Delegation,
  "agent" | "model" | "fallbacks" | "outputSchema"
> {
  /** The name of an agent, or an agent for this run only. */
  agent: string | PromptAgent;
  /**
   * The id of the run: two parts of 1 to 20 of `a-z` and `0-9` with a dash between them. A request with the id of an existing run
   * is refused, so a request can be repeated safely when its arrival is uncertain. Default: a new id.
   */
  id?: string;
  /**
   * `provider:model`, an alias, or a model of the AI SDK's provider interface, version 3 or 4, for this run and its descendants.
   * Absent = the definition's, else the default.
   */
  model?: string | ModelObject;
  /** The models that take over, in this order, when requests to the model fail permanently. At most 10. Absent = the agent's. */
  fallbacks?: readonly (string | ModelObject)[];
  /**
   * The schema of the output: a zod schema, which gives `result.output` its type, or a JSON Schema. Absent = the agent's. A
   * schema that JSON Schema cannot express is refused.
   */
  outputSchema?: JsonObject | OutputSchema<Output>;
  /** How it waits for a worker. Refused (`config-invalid`) when this process executes its runs. */
  queue?: QueueRequest;
  /** Cancels the run and its descendants when it aborts. If it has already aborted, no run is created. */
  signal?: AbortSignal;
}

/** A request for a run of a given agent. */
export type AgentSpawnOptions<Output = unknown> = Omit<SpawnOptions<Output>, "agent">;

/** A request that continues the conversation of a run. Omitted fields keep their value from the previous turn. */
export interface ContinueOptions<Output = unknown> extends Omit<
  ContinueDelegation,
  "outputSchema"
> {
  outputSchema?: SpawnOptions<Output>["outputSchema"];
  /** How it waits for a worker. Refused (`config-invalid`) when this process executes its runs. */
  queue?: QueueRequest;
  /** Cancels the new turn and its descendants when it aborts. If it has already aborted, no run is created. */
  signal?: AbortSignal;
}

/** A zod 4 schema, or a schema of another library that implements Standard JSON Schema. `Output` is the type of its values. */
export interface OutputSchema<Output> {
  readonly "~standard": {
    readonly vendor: string;
    readonly types?: { readonly output: Output } | undefined;
    readonly jsonSchema?: unknown;
  };
}
