import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { SubAgentInput } from "../../pipeline/sub-agent/contract.ts";
import type { AgentConfig } from "../../pipeline/prompt-file/entry.ts";
import { subAgentOutputSchema } from "../../pipeline/sub-agent/sub-agent-schema.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { RunResult } from "../../run/result.ts";
import type { JsonObject } from "../../source/json.ts";
import { promptFile } from "../../prompt-file.ts";

const eventPrompt = promptFile(new URL("./prompt/sub-agent.md", import.meta.url));

/** Builds the delegation to an `agent` of a pipeline. Code gets the input as data; a model reads it as text. */
export function askSubAgent(
  agent: AgentDefinition,
  config: AgentConfig,
  input: SubAgentInput,
): Delegation {
  const { name, source } = agent;
  const request = { agent: name, label: labelOf(input) };
  const data = input as unknown as JsonObject;
  const { event } = input;
  const ownModel = readModelOptions(config);
  const kind = agentKindOf(source);
  if (kind.isProgram) {
    const task = instructionOf(input);
    // Other programs read their own options.
    return { ...request, ...(kind.takesAipOptions && ownModel), task, input: data };
  }
  const task = eventPrompt().replaceAll("{{event}}", () => event);
  const asked = { ...request, ...ownModel, outputSchema: subAgentOutputSchema };
  if (!kind.takesParameters) return { ...asked, task, input: data };
  const { merge_params: _, model: __, temperature: ___, ...parameters } = config.options ?? {};
  return { ...asked, parameters, task: `${task}\n\n[Input]:\n${JSON.stringify(data, null, 2)}` };
}

/** Returns the title of a sub-agent's task: the instruction, or the event if there is none yet. */
export function instructionOf({ coder_prompt: instruction, event }: SubAgentInput): string {
  return instruction.trim() === "" ? `The event ${event}` : instruction;
}

/** Returns the model in the options of a checked entry. */
export function readModelOptions({
  options = {},
}: AgentConfig): Pick<Delegation, "model" | "temperature"> {
  const { model, temperature } = options;
  return {
    ...(typeof model === "string" && { model }),
    ...(typeof temperature === "number" && { temperature }),
  };
}

/** Reads the value that a successful agent returned to the pipeline. */
export function toSubAgentRun({ text, output }: RunResult): { value: unknown } {
  return { value: output ?? (text === "" ? null : text) };
}

/** Returns the event, with the number of its task if there are several. */
function labelOf({ event, coder_task: task }: SubAgentInput): string {
  const number = task === undefined || task.index === 0 ? "" : ` ${task.index + 1}`;
  return `${event.slice(0, 90)}${number}`;
}
