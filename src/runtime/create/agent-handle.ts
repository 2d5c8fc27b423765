import { findAgent } from "../../delegate/request/find-agent.ts";
import type { AgentHandle } from "../agent-handle.ts";
import type { Cadre } from "../cadre.ts";
import { createAgentDirectory } from "../catalog/agent-directory.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { AgentSpawnOptions, SpawnOptions } from "../spawn-options.ts";

/** Options of {@link createAgentHandle}. */
export interface AgentHandleOptions extends Pick<Cadre, "spawn" | "run"> {
  catalog: Catalog;
}

/** Creates the handle of the agent `name`. */
export function createAgentHandle(
  name: string,
  { catalog, spawn, run }: AgentHandleOptions,
): AgentHandle {
  const toRequest = <Output>(request: string | AgentSpawnOptions<Output>): SpawnOptions<Output> =>
    typeof request === "string" ? { agent: name, task: request } : { ...request, agent: name };
  return {
    name,
    definition: async () => await findAgent(createAgentDirectory(catalog), name, undefined),
    spawn: async (request) => await spawn(toRequest(request)),
    run: async (request) => await run(toRequest(request)),
  };
}
