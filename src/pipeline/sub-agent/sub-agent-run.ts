import type { Failure } from "../../run/failure.ts";
import type { CheckedOutput } from "./contract.ts";
import type { AgentConfig } from "../prompt-file/entry.ts";
import type { SubAgentRun } from "./port.ts";
import { readOutput } from "./sub-agent-output.ts";

/** The size limit of all agents' results together, in characters of JSON. */
export const maxResults: number = 4 * 1024 * 1024;

/** A valid output of an agent. */
export interface ReturnedOutput {
  output: CheckedOutput;
  warnings: string[];
  /** Whether the agent comes from an AIPack pack, and so returns only the parameters it changes. */
  isFromPack: boolean;
}

/** Returns the valid output of an agent's run, or the failure that ends the pipeline. */
export function readSubAgentRun(
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

/** Checks the size of all results, because every agent gets the results of all earlier ones and each input is recorded. */
export function findTooManyResults({ name }: AgentConfig, results: number): Failure | null {
  if (results <= maxResults) return null;
  const message = `Sub-agent [${name}] failed: its output is not valid: field \`agent_result\`: expected at most ${maxResults} characters of JSON in the results of all agents together; got ${results}. Write long results to a file and return its path.`;
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
