import type { AgentDefinition } from "../agent/agent.ts";
import type { Model, ModelTool } from "../model/model.ts";
import type { RunSpec } from "../run/run.ts";
import type { Tool } from "../tool/tool.ts";
import { throughCache } from "./result-cache.ts";
import { runAgent } from "./run-agent.ts";
import { selectTools } from "./select-tools.ts";
import type { AskSettings } from "./speaker.ts";
import type { Conclusion, Session } from "./session.ts";
import { createStructuredOutput } from "./structured-output.ts";
import { RunFailed } from "./to-failure.ts";
import { createTurns } from "./turns.ts";

/** The tools there are for a run. */
export interface ToolOffer {
  tools: readonly Tool[];
  /** The names of those that the agent brings along itself. */
  own: ReadonlySet<string>;
  /** The names of those it gets whatever its definition lists and its parent has, unless they are disallowed. */
  always?: ReadonlySet<string>;
  /** What the names of tools begin with whose server was left out, which is one of the warnings. */
  leftOut?: readonly string[];
  /** What the result should warn about. */
  warnings: readonly string[];
}

/** What the loop of an agent gets from its engine. */
export interface AgentServices extends AskSettings {
  resolveModel: (reference: string) => Promise<Model>;
  /** The tools there are for a run, before its definition chooses among them. */
  offerTools: (
    spec: RunSpec,
    definition: AgentDefinition,
    signal: AbortSignal,
  ) => Promise<ToolOffer>;
  limits: AskSettings["limits"] & { toolOutputCharacters: number };
}

/**
 * Executes an agent that is a prompt: gets it a model and tools, and runs the loop.
 *
 * @throws RunFailed `model-unavailable`, and what the loop throws.
 */
export async function conductAgent(options: AgentServices, session: Session): Promise<Conclusion> {
  const { spec, definition } = session;
  const { limits } = options;
  if (spec.model === null) {
    const message = `Agent ${spec.agent} needs a model, and its run was created without one.`;
    throw new RunFailed({ code: "model-unavailable", message });
  }
  const model = await options.resolveModel(spec.model);
  const { fallbackModel } = spec;
  const fallback = fallbackModel === null ? undefined : await options.resolveModel(fallbackModel);
  const tools = await takeTools(options, session);
  const outputCharacters = limits.toolOutputCharacters;
  const effort = spec.effort ?? definition.effort;
  const { outputSchema, agent } = spec;
  const output = outputSchema && createStructuredOutput(outputSchema, agent);
  const turns = createTurns({
    model,
    fallback,
    settings: options,
    request: {
      tools: [...tools.values(), ...(output === undefined ? [] : [output.tool])].map(toModelTool),
      ...(spec.temperature === null ? {} : { temperature: spec.temperature }),
      ...(effort === undefined ? {} : { effort }),
    },
  });
  const toolbox = { tools, seenFiles: new Map<string, string>(), outputCharacters };
  const equipment = { toolbox, turns, ...(output !== undefined && { output }) };
  const work = (): Promise<Conclusion> => runAgent(session, equipment);
  return spec.cache === true ? await throughCache(session, toolbox, work) : await work();
}

/** The tools of a run; servers that give some of them may have to be started first. */
async function takeTools(
  options: AgentServices,
  { spec, definition, warnings, watchdog, signal }: Session,
): Promise<Map<string, Tool>> {
  const offer = await watchdog.trustWhile(options.offerTools(spec, definition, signal));
  const selection = selectTools(offer.tools, definition, spec, offer);
  for (const warning of [...offer.warnings, ...selection.warnings]) warnings.add(warning);
  return selection.tools;
}

/** What the model is told of a tool; the rest of it is code. */
function toModelTool({ name, description, inputSchema }: ModelTool): ModelTool {
  return { name, description, inputSchema };
}
