import { dirname } from "node:path";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { type ChildRun, type ChildServices, runChild } from "../../delegate/start/run-child.ts";
import { assignAgent, type AssignmentSource } from "../../delegate/request/to-assignment.ts";
import { isRegistryFailure } from "../../engine/life/ending.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import { toFailure } from "../../engine/run-failed.ts";
import type { PipelinePort } from "../../pipeline/sub-agent/port.ts";
import type { Failure } from "../../run/failure.ts";
import type { RunResult } from "../../run/result.ts";
import { isPackAgent } from "../aip/aip-agents.ts";
import { listChangedFiles } from "./changed-files.ts";
import { createPipelineRecord } from "./pipeline-record.ts";
import { type ChildRequest, requestCoder, requestSubAgent } from "./request-child.ts";
import { instructionOf, toSubAgentRun } from "./sub-agent-request.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The services of a pipeline. */
export interface PipelineServices extends ChildServices {
  assignments: AssignmentSource;
  /** Finds the agent of an entry, by name or by a path from the prompt file's folder or the workspace. */
  findAgent: (reference: string, promptFolder: string) => Promise<AgentDefinition>;
  /** @throws CadreError `not-trusted` for a model that a file must not name. */
  checkModel: (asked: Pick<AgentDefinition, "model" | "source">) => void;
}

/** The agent that carries out the instruction when the parameters name none. */
export const defaultCoder = "main";

/** Creates the port of a pipeline. Its actions are children and steps of `run`. */
export async function createPipelinePort(
  context: InternalContext,
  services: PipelineServices,
): Promise<PipelinePort> {
  const { spec, definition } = context;
  const { assignments, checkModel } = services;
  const requestContext = { run: context, assignments, checkModel };

  return {
    record: await createPipelineRecord(context),
    async runSubAgent(config, input, stepKey) {
      const outcome = await runPipelineChild(services, context, {
        reference: config.name,
        folder: input.coder_prompt_dir,
        stepKey,
        instruction: instructionOf(input),
        request: (found) => requestSubAgent(requestContext, found, { config, input }),
      });
      if ("failure" in outcome) return outcome;
      const child = await context.registry.run(outcome.result.runId);
      const isFromPack = child !== undefined && isPackAgent(child.agent);
      return { ...toSubAgentRun(outcome.result), isFromPack };
    },
    async runCoder({ prompt: task, instruction }, params, stepKey) {
      const { agent } = params;
      const outcome = await runPipelineChild(services, context, {
        reference: typeof agent === "string" ? agent : defaultCoder,
        folder: definition.source.path === null ? spec.workspace : dirname(definition.source.path),
        stepKey,
        instruction,
        async request({ name }) {
          const delegation = { agent: name, task, label: coderLabel(stepKey) };
          return await requestCoder(requestContext, delegation, params);
        },
      });
      if ("failure" in outcome) return outcome;
      const { runId, text, output } = outcome.result;
      const files = await listChangedFiles(context.registry, spec, runId);
      const isSilent = text === "" && output !== undefined;
      return { text: isSilent ? JSON.stringify(output) : text, files_changed: files };
    },
  };
}

interface Child {
  reference: string;
  folder: string;
  stepKey: string;
  instruction: string;
  request: (found: AgentDefinition) => Promise<ChildRequest>;
}

/** Runs a child and waits for it. Rejects only to end the pipeline. */
async function runPipelineChild(
  services: PipelineServices,
  context: InternalContext,
  { reference, folder, stepKey, instruction, request }: Child,
): Promise<{ result: RunResult } | { failure: Failure }> {
  const { assignments, findAgent } = services;
  const child: ChildRun = {
    key: stepKey,
    // The author of the file decided how many run concurrently.
    isPlanned: true,
    async assign(origin) {
      const found = await findAgent(reference, folder);
      const { delegation: asked, options, effort } = await request(found);
      const delegation = { ...asked, background: false };
      const call = { delegation, origin, ...omitUndefined({ options }) };
      const assignment = await assignAgent(assignments, found, call);
      return { ...assignment, ...omitUndefined({ effort }), ...titleOf(instruction) };
    },
  };
  try {
    const result = await runChild(services, context, child);
    return result.failure === undefined ? { result } : { failure: result.failure };
  } catch (error) {
    context.signal.throwIfAborted();
    if (isRegistryFailure(error)) throw error;
    return { failure: toFailure(error) };
  }
}

/** Returns `coder`, with the number of its task if there are several. */
function coderLabel(stepKey: string): string {
  const number = Number(/task-(\d+)/.exec(stepKey)?.[1] ?? 0);
  return number === 0 ? "coder" : `coder ${number + 1}`;
}

const maxTitleLength = 200;

/** Returns the first line of the instruction as a title: a child's task begins with fixed text or files. */
function titleOf(instruction: string): { title?: string } {
  const line = instruction.split("\n").find((one) => one.trim() !== "");
  return line === undefined ? {} : { title: line.trim().slice(0, maxTitleLength).toWellFormed() };
}
