import type { AgentDefinition } from "../agent/definition/agent.ts";
import type { RunResult } from "../run/result.ts";
import type { AgentSpawnOptions } from "./spawn-options.ts";
import type { RunHandle } from "./run-handle.ts";

/** An agent, by its name. */
export interface AgentHandle {
  readonly name: string;
  /**
   * Returns its definition.
   *
   * @throws CadreError `agent-not-found`, or `definition-invalid` when its definition cannot be used.
   */
  definition(): Promise<AgentDefinition>;
  /** Starts a run of the agent with a task, or with more settings. Throws like `Cadre.spawn`. */
  spawn<Output = unknown>(request: string | AgentSpawnOptions<Output>): Promise<RunHandle<Output>>;
  /** Starts a run of the agent and waits for its result. Throws like `Cadre.spawn`. */
  run<Output = unknown>(request: string | AgentSpawnOptions<Output>): Promise<RunResult<Output>>;
}
