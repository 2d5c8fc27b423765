import type { AgentDefinition } from "../agent/agent.ts";
import type { Delegate } from "../delegate/delegate.ts";
import type { RunSpec } from "../run/run.ts";
import type { Tool } from "../tool/tool.ts";
import type { Catalog } from "./catalog.ts";

/** The built-in tools and the `Agent` tool; the latter lists the agents a definition may delegate to. */
export function createToolOffer(
  delegate: () => Delegate,
  createTools: () => Promise<readonly Tool[]>,
  catalog: Catalog,
): (spec: RunSpec, definition: AgentDefinition) => Promise<readonly Tool[]> {
  const offers = new Map<string, Promise<readonly Tool[]>>();
  let builtin: Promise<readonly Tool[]> | undefined;
  const create = async (allowed: readonly string[] | undefined): Promise<readonly Tool[]> => {
    builtin ??= createTools();
    const { createAgentTool } = await import("../delegate/agent-tool.ts");
    const { agents } = await catalog.discover();
    const listed = agents.filter(({ name }) => allowed === undefined || allowed.includes(name));
    return [...(await builtin), createAgentTool(delegate(), listed)];
  };
  return async (_spec, { agents }) => {
    const key = JSON.stringify(agents ?? null);
    const offer = offers.get(key) ?? create(agents);
    offers.set(key, offer);
    return await offer;
  };
}
