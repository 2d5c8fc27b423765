import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Model, ModelTool } from "../../model/model.ts";
import type { RunSpec } from "../../run/run.ts";
import { limitToMemory, memoryTools } from "../../tool/memory/memory-tools.ts";
import type { Tool } from "../../tool/tool.ts";
import { throughCache } from "./result-cache.ts";
import { runAgent, type RunAgentParts } from "./run-agent.ts";
import { selectTools } from "../tool-call/select-tools.ts";
import type { AskSettings } from "./budgeted-model.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import { createWebSearch } from "./search-web.ts";
import { createStructuredOutput } from "./structured-output.ts";
import { RunFailed } from "../run-failed.ts";
import { createToolChoice } from "./tool-choice.ts";
import { createModelChain } from "./model-chain.ts";
import { createTurns } from "./turns.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The tools offered to a run. */
export interface AvailableTools {
  tools: readonly Tool[];
  /** The names of tools that the agent's own servers provide. */
  own: ReadonlySet<string>;
  /**
   * The names of tools that the agent gets regardless of its definition's list and its parent's tools, unless they are
   * disallowed.
   */
  always?: ReadonlySet<string>;
  /** Prefixes of tool names whose servers were left out; a warning says so already. */
  leftOut?: readonly string[];
  /** Warnings for the result. */
  warnings: readonly string[];
}

/** How the conversation of a run begins. */
export type Opening = Pick<RunAgentParts, "context" | "history">;

/** The engine's services for an agent's loop. */
export interface AgentServices extends AskSettings {
  /** `family` is the root of the requesting run. */
  resolveModel: (reference: string, family?: string) => Promise<Model>;
  /** Returns the tools that are available to a run, before its definition chooses among them. */
  offerTools: (
    spec: RunSpec,
    definition: AgentDefinition,
    signal: AbortSignal,
  ) => Promise<AvailableTools>;
  limits: AskSettings["limits"] & { toolOutputCharacters: number };
}

/**
 * Executes a prompt agent: provides a model and tools, and runs the loop. `context` comes from hooks; it follows the task.
 *
 * @throws RunFailed `model-unavailable`, and the errors of the loop.
 */
export async function conductAgent(
  options: AgentServices,
  run: RunContext,
  opening: Opening,
): Promise<Conclusion> {
  const { spec, definition } = run;
  const { limits } = options;
  if (spec.model === null) {
    const message = `Agent ${spec.agent} needs a model, and its run was created without one.`;
    throw new RunFailed({ code: "model-unavailable", message });
  }
  const models = await createModelChain(options.resolveModel, run, spec.model);
  const searchWeb = await createWebSearch(run, models, options);
  const absent = searchWeb === undefined ? [searchTool] : [];
  const { tools, names } = await takeTools(options, run, absent);
  if (searchWeb === undefined && definition.tools?.includes(searchTool) === true) {
    run.warnings.add(
      `Agent ${spec.agent} names WebSearch, but the provider of ${spec.model} has no web search for it: models of Anthropic, OpenAI and Google have one.`,
    );
  }
  const outputCharacters = limits.toolOutputCharacters;
  const effort = spec.effort ?? definition.effort;
  const { outputSchema, agent, providerOptions } = spec;
  const output = outputSchema && createStructuredOutput(outputSchema, agent);
  const turns = createTurns({
    models,
    settings: options,
    request: {
      tools: [...tools.values(), ...(output === undefined ? [] : [output.tool])].map(toModelTool),
      ...(spec.temperature !== null && { temperature: spec.temperature }),
      ...omitUndefined({ effort, providerOptions }),
    },
    chooseTool: createToolChoice(spec, tools),
  });
  const seenFiles = new Map(opening.history?.files);
  const toolbox = { tools, names, seenFiles, searchWeb, outputCharacters };
  const parts = { toolbox, turns, ...opening, ...omitUndefined({ output }) };
  const work = (): Promise<Conclusion> => runAgent(run, parts);
  // Not awaited, because a frame of an `async` function would be kept until the run ends. The results of `taskCalls` may differ
  // each time.
  const isCacheable = spec.cache === true && spec.taskCalls === undefined;
  return isCacheable ? throughCache(run, toolbox, work) : work();
}

/** Available only with models of some providers. */
const searchTool = "WebSearch";

/** The tools of a run, and the names of the tools that its children may also have. */
interface TakenTools {
  tools: Map<string, Tool>;
  names: string[];
}

/** Selects the tools of a run. Servers that provide some of them may have to be started first. */
async function takeTools(
  options: AgentServices,
  run: RunContext,
  absent: readonly string[],
): Promise<TakenTools> {
  const { spec, definition, warnings, watchdog, signal } = run;
  const offer = await watchdog.ignoreSilenceWhile(options.offerTools(spec, definition, signal));
  const tools = offer.tools.filter(({ name }) => !absent.includes(name));
  const leftOut = [...(offer.leftOut ?? []), ...absent];
  const selection = selectTools(tools, definition, spec, { ...offer, leftOut });
  for (const warning of [...offer.warnings, ...selection.warnings]) warnings.add(warning);
  const taken = selection.tools;
  const names = [...taken.keys()];
  for (const tool of toolsForMemory(run, tools, taken)) taken.set(tool.name, tool);
  return { tools: taken, names };
}

/** Returns the tools that an agent has only for its memory. */
function toolsForMemory(
  { memory, definition: { disallowedTools = [] } }: RunContext,
  offered: readonly Tool[],
  taken: ReadonlyMap<string, Tool>,
): Tool[] {
  if (memory === undefined) return [];
  const isMissing = ({ name }: Tool): boolean =>
    memoryTools.includes(name) && !taken.has(name) && !disallowedTools.includes(name);
  return offered.filter(isMissing).map((tool) => limitToMemory(tool, memory));
}

/** Cached by tool. All runs share a tool object, so its schema is computed once. */
const modelTools = new WeakMap<ModelTool, ModelTool>();

/** Returns the parts of a tool that the model gets. The rest is code. */
function toModelTool(tool: ModelTool): ModelTool {
  const { name, description, inputSchema } = tool;
  const known = modelTools.get(tool) ?? { name, description, inputSchema };
  modelTools.set(tool, known);
  return known;
}
