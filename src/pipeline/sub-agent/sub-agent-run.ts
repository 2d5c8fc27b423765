import type { Failure } from "../../run/failure.ts";
import type { CheckedOutput } from "../contract.ts";
import type { AgentConfig } from "../entry.ts";
import type { SubAgentRun } from "../port.ts";
import { readOutput } from "./sub-agent-output.ts";

/** The results of all agents together, in characters of JSON. */
export const mostResults: number = 4 * 1024 * 1024;

/** What an agent returned, which keeps the contract. */
export interface ReturnedOutput {
  output: CheckedOutput;
  warnings: string[];
  /** Whether the agent comes from an AIPack pack, and so returns only the parameters it changes. */
  isFromPack: boolean;
}

/** What a run of an agent came to: an output that keeps the contract, or the failure that ends the pipeline. */
export function readRun(
  run: SubAgentRun,
  config: AgentConfig,
): ReturnedOutput | { failure: Failure } {
  if ("failure" in run) {
    const { code, message } = run.failure;
    const failure = failureOf(config, message, null);
    const isInvalid = code === "output-invalid";
    return { failure: { ...failure, ...(isInvalid && { code }), cause: run.failure } };
  }
  const reading = readOutput(run.value, config.name);
  if (reading.kind === "invalid") {
    const details = { agent: config.name };
    return { failure: { code: "output-invalid", message: reading.message, details } };
  }
  if (reading.kind === "failure") {
    return { failure: failureOf(config, reading.message, reading.details) };
  }
  const { output, warnings } = reading;
  return { output, warnings, isFromPack: run.isFromPack ?? false };
}

/** Every agent is given the results of all before it, and each of these inputs is kept. */
export function findTooManyResults({ name }: AgentConfig, results: number): Failure | null {
  if (results <= mostResults) return null;
  const message = `Sub-agent [${name}] failed: its output is not valid: field \`agent_result\`: expected at most ${mostResults} characters of JSON in the results of all agents together; got ${results}. Write what is long to a file, and return its path.`;
  return { code: "output-invalid", message, details: { agent: name } };
}

function failureOf(config: AgentConfig, message: string, details: string | null): Failure {
  const more = details === null ? "" : `\nDetails: ${details}`;
  return {
    code: "pipeline-halted",
    message: `Sub-agent [${config.name}] failed: ${message}${more}`,
    details: { agent: config.name, ...(details !== null && { error_details: details }) },
  };
}
