import { readFileSync } from "node:fs";
import { type AgentDefinition, isProgram } from "../agent/agent.ts";
import type { SubAgentInput } from "../pipeline/contract.ts";
import type { AgentConfig } from "../pipeline/entry.ts";
import { subAgentOutputSchema } from "../pipeline/sub-agent/sub-agent-schema.ts";
import type { Delegation } from "../run/delegation.ts";
import type { RunResult } from "../run/result.ts";
import type { JsonObject } from "../source/json.ts";

const prompt = readFileSync(new URL("./prompt/sub-agent.md", import.meta.url), "utf8").trim();

/** The delegation by which `agent` takes part in a pipeline: code gets the input as it is, a model reads it. */
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
  if (isProgram(agent)) {
    const task = instructionOf(input);
    // A program that is not AIPack's reads its options itself.
    return { ...request, ...(source.format === "aip" && ownModel), task, input: data };
  }
  const task = prompt.replaceAll("{{event}}", () => event);
  const asked = { ...request, ...ownModel, outputSchema: subAgentOutputSchema };
  if (source.format !== "recipe") return { ...asked, task, input: data };
  const { merge_params: _, model: __, temperature: ___, ...parameters } = config.options ?? {};
  return { ...asked, parameters, task: `${task}\n\n[Input]:\n${JSON.stringify(data, null, 2)}` };
}

/** What a sub-agent is asked, as far as people care: the instruction, or the event where there is none yet. */
export function instructionOf({ coder_prompt: instruction, event }: SubAgentInput): string {
  return instruction.trim() === "" ? `The event ${event}` : instruction;
}

/** The model an entry wants for its agent; entries were checked. */
export function readModelOptions({
  options = {},
}: AgentConfig): Pick<Delegation, "model" | "temperature"> {
  const { model, temperature } = options;
  return {
    ...(typeof model === "string" && { model }),
    ...(typeof temperature === "number" && { temperature }),
  };
}

/** What an agent that succeeded returned to the pipeline. */
export function toSubAgentRun({ text, output }: RunResult): { value: unknown } {
  return { value: output ?? (text === "" ? null : text) };
}

/** The event, and the number of its task where there are several. */
function labelOf({ event, coder_task: task }: SubAgentInput): string {
  const number = task === undefined || task.index === 0 ? "" : ` ${task.index + 1}`;
  return `${event.slice(0, 90)}${number}`;
}
