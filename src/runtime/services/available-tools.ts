import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Clock } from "../../clock.ts";
import type { Delegate } from "../../delegate/start/delegate.ts";
import type { Families } from "../../delegate/family/families.ts";
import { findAgent } from "../../delegate/request/find-agent.ts";
import type { SessionPort } from "../../delegate/tools/session-scope.ts";
import type { RecipeSource } from "../../delegate/request/recipe-assignment.ts";
import type { AvailableTools } from "../../engine/loop/conduct-agent.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ExtensionHost } from "../../extension/host/extension-host.ts";
import { configOf } from "../../extension/stored-extension.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunSpec } from "../../run/run.ts";
import { teamToolNames } from "../../run/tool-names.ts";
import { serverPrefix } from "../../run/server-name.ts";
import type { Tool } from "../../tool/tool.ts";
import type { RunChanges } from "../run-changes.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Options of {@link createAvailableTools}. */
export interface AvailableToolsOptions {
  delegate: () => Delegate;
  engine: () => Engine;
  registry: Registry;
  families: Families;
  clock: Clock;
  /** The built-in tools that do not delegate. */
  createTools: () => Promise<readonly Tool[]>;
  /** The program's own tools. */
  ownTools: () => Promise<readonly Tool[]>;
  catalog: Catalog;
  recipes: RecipeSource;
  extensions: () => Promise<ExtensionHost>;
  /** Opens the changes that runs made in their own worktrees. */
  openChanges: () => Promise<RunChanges>;
}

/**
 * Creates the function that lists a run's tools: built-in tools, delegate tools, the program's own, and those of its extensions.
 */
export function createAvailableTools(
  options: AvailableToolsOptions,
): (spec: RunSpec, definition: AgentDefinition, signal: AbortSignal) => Promise<AvailableTools> {
  const offers = new Map<string, Promise<readonly Tool[]>>();
  let builtin: Promise<readonly Tool[]> | undefined;
  let teamTools: Promise<readonly Tool[]> | undefined;
  let offered: unknown;

  /** Cached for runs with the same agents and recipes. */
  async function offerOwn(definition: AgentDefinition): Promise<readonly Tool[]> {
    const { agents, recipes } = definition;
    const key = JSON.stringify([agents ?? null, recipes ?? null]);
    builtin ??= options.createTools();
    const discovery = await options.catalog.discover();
    // The agents have changed.
    if (discovery !== offered) offers.clear();
    offered = discovery;
    const offer = offers.get(key) ?? createDelegateTools(options, definition);
    offers.set(key, offer);
    return [...(await builtin), ...(await offer)];
  }

  return async (spec, definition, signal) => {
    const given = await options.ownTools();
    const ofProgram = given.filter(({ name }) => spec.ownTools?.includes(name) === true);
    const team = spec.team === true ? await (teamTools ??= createToolsOfTeams(options)) : [];
    const own = [...(await offerOwn(definition)), ...team, ...ofProgram];
    const always = namesOfGiven(spec);
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

/** Returns the names of the tools that a run has regardless of the tools in its definition. */
function namesOfGiven(spec: RunSpec): Set<string> {
  const isInTeam = spec.team === true;
  return new Set([
    ...(hasSomethingToRead(spec) || isInTeam ? ["context_get"] : []),
    ...(isInTeam ? teamToolNames : []),
  ]);
}

/** Reports whether its instructions or task may refer to shared values that are not shown in full. */
function hasSomethingToRead({ context, dependsOn }: RunSpec): boolean {
  return context !== undefined || dependsOn.length > 0;
}

async function createToolsOfTeams({
  engine,
  registry,
  families,
  clock,
}: AvailableToolsOptions): Promise<readonly Tool[]> {
  const { createTeamTools } = await import("../../delegate/team/team-tools.ts");
  const { createLiveBoards } = await import("../../delegate/team/live-board.ts");
  const boards = createLiveBoards(registry, families);
  return createTeamTools({ engine: engine(), registry, families, clock, boards });
}

async function createToolsOfChanges(
  port: SessionPort,
  { openChanges }: AvailableToolsOptions,
): Promise<readonly Tool[]> {
  const { createChangeTools } = await import("../changes/change-tools.ts");
  return createChangeTools({ ...port, changes: await openChanges() });
}

async function createDelegateTools(
  options: AvailableToolsOptions,
  definition: AgentDefinition,
): Promise<readonly Tool[]> {
  const { delegate, engine, catalog, recipes, registry, families, clock } = options;
  const { createAgentTool } = await import("../../delegate/tools/agent-tool.ts");
  const { createSubagentTool } = await import("../../delegate/tools/subagent-tool.ts");
  const { createContextGetTool } = await import("../../delegate/tools/context-get-tool.ts");
  const { createRunSessionTools } = await import("../../delegate/tools/session-tools.ts");
  const { agents } = await catalog.discover();
  const allowed = definition.agents;
  const offered = agents.filter(({ source }) => agentKindOf(source).isOffered);
  const listed = offered.filter(({ name }) => allowed === undefined || allowed.includes(name));
  const source = { agents: async () => agents, problemsOf: catalog.problemsOf };
  const port = { delegate: delegate(), engine: engine(), registry, families };
  const mayIsolate = [definition, ...listed].some(({ isolation }) => isolation !== undefined);
  return [
    createAgentTool(delegate(), listed),
    createSubagentTool({
      delegate: delegate(),
      recipes,
      offered: definition.recipes ?? (await catalog.recipes()),
      findAgent: async (name, origin) => await findAgent(source, name, origin),
      result: (runId) => engine().result(runId),
    }),
    ...createRunSessionTools(port, { clock, agents: listed.map(({ name }) => name) }),
    ...(mayIsolate ? await createToolsOfChanges(port, options) : []),
    createContextGetTool({ registry, families }),
  ];
}
