import type { AgentDefinition } from "../agent/agent.ts";
import type { Clock } from "../clock.ts";
import type { Delegate } from "../delegate/delegate.ts";
import type { Families } from "../delegate/families.ts";
import { findAgent } from "../delegate/find-agent.ts";
import type { RecipeSource } from "../delegate/recipe-assignment.ts";
import type { ToolOffer } from "../engine/conduct-agent.ts";
import type { Engine } from "../engine/engine.ts";
import type { ExtensionHost } from "../extension/extension-host.ts";
import { configOf } from "../extension/stored-extension.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunSpec } from "../run/run.ts";
import { serverPrefix } from "../run/server-name.ts";
import type { Tool } from "../tool/tool.ts";
import type { Catalog } from "./catalog.ts";

/** What {@link createToolOffer} needs. */
export interface ToolOfferOptions {
  delegate: () => Delegate;
  engine: () => Engine;
  registry: Registry;
  families: Families;
  clock: Clock;
  /** The built-in tools that do not delegate. */
  createTools: () => Promise<readonly Tool[]>;
  catalog: Catalog;
  recipes: RecipeSource;
  extensions: () => Promise<ExtensionHost>;
}

/** Offers runs the built-in tools, the delegate tools, and those of their extensions. */
export function createToolOffer(
  options: ToolOfferOptions,
): (spec: RunSpec, definition: AgentDefinition, signal: AbortSignal) => Promise<ToolOffer> {
  const offers = new Map<string, Promise<readonly Tool[]>>();
  let builtin: Promise<readonly Tool[]> | undefined;
  let offered: unknown;

  /** The same for all runs that may delegate to the same agents and recipes. */
  async function offerOwn(definition: AgentDefinition): Promise<readonly Tool[]> {
    const { agents, recipes } = definition;
    const key = JSON.stringify([agents ?? null, recipes ?? null]);
    builtin ??= options.createTools();
    const discovery = await options.catalog.discover();
    // What there is has changed.
    if (discovery !== offered) offers.clear();
    offered = discovery;
    const offer = offers.get(key) ?? createDelegateTools(options, definition);
    offers.set(key, offer);
    return [...(await builtin), ...(await offer)];
  }

  return async (spec, definition, signal) => {
    const own = await offerOwn(definition);
    const always = new Set(hasSomethingToRead(spec) ? ["context_get"] : []);
    const stored = spec.extensions ?? [];
    if (stored.length === 0) return { tools: own, own: new Set(), always, warnings: [] };
    const configs = stored.map(configOf);
    const host = await options.extensions();
    const servers = await host.acquire(spec.rootId, configs, signal);
    const { tools, warnings, extensionOf } = servers;
    const brought = new Set(stored.filter(({ isOwn }) => isOwn === true).map(({ name }) => name));
    const names = tools.map(({ name }) => name);
    const isBrought = (name: string): boolean => brought.has(extensionOf.get(name) ?? "");
    return {
      tools: [...own, ...tools],
      own: new Set(names.filter(isBrought)),
      always,
      leftOut: servers.leftOut.map(serverPrefix),
      warnings,
    };
  };
}

/** Whether its instructions or its task may point to more than they show. */
function hasSomethingToRead({ context, dependsOn }: RunSpec): boolean {
  return context !== undefined || dependsOn.length > 0;
}

async function createDelegateTools(
  { delegate, engine, catalog, recipes, registry, families, clock }: ToolOfferOptions,
  definition: AgentDefinition,
): Promise<readonly Tool[]> {
  const { createAgentTool } = await import("../delegate/agent-tool.ts");
  const { createSubagentTool } = await import("../delegate/subagent-tool.ts");
  const { createSessionTools } = await import("../delegate/session-tools.ts");
  const { agents } = await catalog.discover();
  const allowed = definition.agents;
  // A pipeline is run by people; its coder would find itself among the agents.
  const offered = agents.filter(({ source }) => source.format !== "prompt");
  const listed = offered.filter(({ name }) => allowed === undefined || allowed.includes(name));
  const source = { agents: async () => agents, problemsOf: catalog.problemsOf };
  return [
    createAgentTool(delegate(), listed),
    createSubagentTool({
      delegate: delegate(),
      recipes,
      offered: definition.recipes ?? (await catalog.recipes()),
      findAgent: async (name, origin) => await findAgent(source, name, origin),
      result: (runId) => engine().result(runId),
    }),
    ...createSessionTools(
      { delegate: delegate(), engine: engine(), registry, families },
      clock,
      listed.map(({ name }) => name),
    ),
  ];
}
