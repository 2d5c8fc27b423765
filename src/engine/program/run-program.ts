// Execution of agents that are programs.

import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { ProgramInput, ProgramOutput } from "../../agent/program/program.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { toPlainValue } from "../../source/plain-value.ts";
import { prepareTask } from "../prompt/compose-task.ts";
import { freezeContext, readEffectiveContext } from "../prompt/effective-context.ts";
import { createInternalContext, type InternalProgram } from "./internal-context.ts";
import { createProgramContext, type ProgramServices } from "./program-context.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import { requireOutput } from "../loop/structured-output.ts";
import { messageOf, RunFailed } from "../run-failed.ts";

/** The approximate maximum size of a program's output, in characters of JSON. */
const maxOutputCharacters = 16 * 1024 * 1024;

/**
 * Executes a run of a program. Its steps, delegations and questions are durable, so a resumed run repeats only the code between
 * them.
 *
 * @throws RunFailed when the program throws, or returns a value that is neither text nor JSON or does not match its output
 * schema.
 */
export async function runProgram(
  run: RunContext,
  program: InternalProgram,
  services: ProgramServices,
): Promise<Conclusion> {
  const { spec } = run;
  const emitted: string[] = [];
  try {
    const own = createProgramContext(run, services, (event) => void emitted.push(event));
    const context = createInternalContext(run, services, own);
    const returned = await program.run(await prepareInput(run), context);
    const conclusion = addEvents(conclude(spec.agent, returned), emitted, spec.agent);
    if (spec.outputSchema !== undefined) requireOutput(conclusion, spec.outputSchema, spec.agent);
    return conclusion;
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof RunFailed) throw error;
    const message = `Agent ${spec.agent} threw: ${messageOf(error)}`;
    throw new RunFailed({ code: "internal", message });
  }
}

async function prepareInput(run: RunContext): Promise<ProgramInput> {
  const { spec, definition } = run;
  const { agent } = spec;
  // Pipelines and `.aip` agents read their inputs themselves.
  const inputs = agentKindOf(definition.source).readsInputs ? [] : (spec.inputs ?? []);
  const sharedContext = freezeContext(await readEffectiveContext(run.registry, spec));
  const [input = {}] = inputs;
  if (!isRecord(input)) {
    const message = `Agent ${agent} is a program, whose input must be a table; got ${JSON.stringify(input).slice(0, 100)}.`;
    throw new RunFailed({ code: "input-invalid", message });
  }
  const fields = structuredClone<JsonObject>(input);
  return { ...fields, task: await prepareTask(run), sharedContext };
}

function conclude(agent: string, returned: ProgramOutput | object): Conclusion {
  if (typeof returned === "string") return { text: returned };
  if (returned === undefined || returned === null) return { text: "" };
  if (!isRecord(returned)) {
    const got = Array.isArray(returned) ? "a list" : typeof returned;
    throw invalid(
      `Agent ${agent} returned ${got}; expected a text, { text?, output? }, a table, or nothing.`,
    );
  }
  const { text = "", output, ...rest } = returned;
  // An object with its own fields is the output itself. An error, a map or a date is not, although it looks like an empty object.
  if (Object.keys(returned).length === 0) toJson(agent, returned);
  if (Object.keys(rest).length > 0) return { text: "", output: toJson(agent, returned) };
  if (typeof text !== "string") {
    throw invalid(`Agent ${agent} returned a \`text\` that is ${typeof text}; expected a text.`);
  }
  return output === undefined ? { text } : { text, output: toJson(agent, output) };
}

/** Puts the events emitted during the run before the returned ones. */
function addEvents(conclusion: Conclusion, emitted: string[], agent: string): Conclusion {
  if (emitted.length === 0) return conclusion;
  const isText = conclusion.output === undefined && conclusion.text !== "";
  const output = isText ? conclusion.text : (conclusion.output ?? {});
  const returned = isRecord(output) ? (output["emit_events"] ?? []) : null;
  if (!isRecord(output) || !Array.isArray(returned)) {
    throw invalid(
      `Agent ${agent} emitted events, so it must return nothing, or a table whose \`emit_events\`, if present, is a list.`,
    );
  }
  return { ...conclusion, output: { ...output, emit_events: [...emitted, ...returned] } };
}

function toJson(agent: string, value: unknown): JsonValue {
  const plain = toPlainValue(value, maxOutputCharacters, "output");
  if ("value" in plain) return plain.value;
  throw invalid(`Agent ${agent} returned an output that is not JSON: ${plain.problem}.`);
}

function invalid(message: string): RunFailed {
  return new RunFailed({ code: "output-invalid", message });
}
