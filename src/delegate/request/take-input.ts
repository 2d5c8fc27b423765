import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { type AgentDefinition, isProgram } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import type { Delegation } from "../../run/delegation.ts";
import { compileSchema } from "../../source/schema/json-schema.ts";
import { isRecord, type JsonValue, parseJson } from "../../source/json.ts";
import type { Assignment } from "../assignment.ts";

interface Given {
  task?: Delegation["task"] | undefined;
  input?: Delegation["input"] | undefined;
  inputs?: Delegation["inputs"] | undefined;
}

/** The maximum length of a schema in a message, in characters. */
const maxSchemaLength = 2000;

/**
 * Returns the task and the data of a delegation. For an agent with an `inputSchema`, a JSON task is the input. A prompt agent
 * reads its input after its task.
 *
 * @throws CadreError `invalid-argument` when the input is missing or invalid.
 */
export function takeInput(
  definition: AgentDefinition,
  { task, input, inputs }: Given,
): Pick<Assignment, "task" | "inputs"> {
  const { source, inputSchema } = definition;
  if (inputs !== undefined) return takeSeveral(definition, { task, input, inputs });
  const isNeeded = inputSchema !== undefined && task !== undefined;
  const value = input ?? (isNeeded ? parseJson(task) : undefined);
  if (inputSchema !== undefined) requireFit(definition, value);
  if (agentKindOf(source).takesSeveralInputs) return takeAip(definition, { task, input: value });
  if (value === undefined) return { task: task ?? "" };
  const text = JSON.stringify(value, null, 2);
  if (!isProgram(definition)) {
    const hasBoth = task !== undefined && input !== undefined;
    return { task: hasBoth ? `${task}\n\n[Input]:\n${text}` : text };
  }
  if (!isRecord(value)) {
    throw invalid(`The agent ${definition.name} is a program, whose input must be a table.`);
  }
  return { task: task ?? text, inputs: [value] };
}

/** For an agent without tasks, a text is an input like any other. */
function takeAip(
  { name }: AgentDefinition,
  { task, input = task }: Given,
): Pick<Assignment, "task" | "inputs"> {
  if (input === undefined) return { task: `Run ${name}.` };
  return { task: task ?? describe(input, name), inputs: [input] };
}

/** Returns the text of an input that replaces a task. */
function describe(input: JsonValue | undefined, name: string): string {
  const text = typeof input === "string" ? input : input === undefined ? "" : JSON.stringify(input);
  return text.trim() === "" ? `Run ${name}.` : text;
}

function takeSeveral(
  { name, source }: AgentDefinition,
  { task, input, inputs }: Given & { inputs: readonly JsonValue[] },
): Pick<Assignment, "task" | "inputs"> {
  if (!agentKindOf(source).takesSeveralInputs) {
    throw invalid(
      `The agent ${name} takes one \`input\`; only \`.aip\` agents take several \`inputs\`.`,
    );
  }
  if (input !== undefined) throw invalid("Expected `input` or `inputs`; got both.");
  const [only] = inputs;
  const instruction =
    inputs.length > 1 ? `Run ${name} on ${inputs.length} inputs.` : describe(only, name);
  return { task: task ?? instruction, inputs };
}

function requireFit({ name, inputSchema }: AgentDefinition, value: JsonValue | undefined): void {
  const compiled = compileSchema(inputSchema);
  if ("problem" in compiled) {
    const message = `Agent ${name} cannot be used: its inputSchema is not valid. ${compiled.problem}`;
    throw new CadreError("definition-invalid", message);
  }
  const missing = ["expected `input`, or a task that is JSON; got neither"];
  const problems = value === undefined ? missing : compiled.check(value);
  if (problems.length === 0) return;
  const lines = problems.map((problem) => `\n- ${problem}`).join("");
  const schema = JSON.stringify(inputSchema).slice(0, maxSchemaLength);
  throw invalid(
    `The input of the agent ${name} does not fit its schema:${lines}\nThe schema: ${schema}`,
  );
}

function invalid(message: string): CadreError {
  return new CadreError("invalid-argument", message);
}
