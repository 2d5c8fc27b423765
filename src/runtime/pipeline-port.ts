import { dirname } from "node:path";
import type { AgentDefinition } from "../agent/agent.ts";
import type { Delegate } from "../delegate/delegate.ts";
import { assignAgent, type AssignmentSource } from "../delegate/to-assignment.ts";
import { isRegistryFailure } from "../engine/ending.ts";
import type { Engine } from "../engine/engine.ts";
import type { Session } from "../engine/session.ts";
import { toFailure } from "../engine/to-failure.ts";
import type { PipelinePort } from "../pipeline/port.ts";
import type { Failure } from "../run/failure.ts";
import type { RunResult } from "../run/result.ts";
import { isPackAgent } from "./aip-agents.ts";
import { findChangedFiles } from "./changed-files.ts";
import { createPipelineRecord } from "./pipeline/pipeline-record.ts";
import { type ChildRequest, requestCoder, requestSubAgent } from "./pipeline/request-child.ts";
import { instructionOf, toSubAgentRun } from "./sub-agent-request.ts";

/** What a pipeline has run for it. */
export interface PipelineServices {
  delegate: Delegate;
  engine: Pick<Engine, "result">;
  assignments: AssignmentSource;
  /** The agent that an entry names, by its name or by a path from the folder of the prompt file or the workspace. */
  findAgent: (reference: string, promptFolder: string) => Promise<AgentDefinition>;
  /** @throws CadreError `not-trusted` for a model that a file must not name. */
  checkModel: (asked: Pick<AgentDefinition, "model" | "source">) => void;
}

/** The agent that carries out the instruction where the parameters name none. */
export const defaultCoder = "main";

/** What a pipeline does, as children and steps of the run of `session`. */
export async function createPipelinePort(
  session: Session,
  services: PipelineServices,
): Promise<PipelinePort> {
  const { spec, definition } = session;
  const { assignments, checkModel } = services;
  const place = { session, assignments, checkModel };

  return {
    record: await createPipelineRecord(session),
    async runSubAgent(config, input, stepKey) {
      const outcome = await runChild(session, services, {
        reference: config.name,
        folder: input.coder_prompt_dir,
        stepKey,
        instruction: instructionOf(input),
        request: (found) => requestSubAgent(place, found, { config, input }),
      });
      if ("failure" in outcome) return outcome;
      const run = await session.registry.run(outcome.result.runId);
      const isFromPack = run !== undefined && isPackAgent(run.agent);
      return { ...toSubAgentRun(outcome.result), isFromPack };
    },
    async runCoder({ prompt: task, instruction }, params, stepKey) {
      const { agent } = params;
      const outcome = await runChild(session, services, {
        reference: typeof agent === "string" ? agent : defaultCoder,
        folder: definition.source.path === null ? spec.workspace : dirname(definition.source.path),
        stepKey,
        instruction,
        async request({ name }) {
          const delegation = { agent: name, task, label: coderLabel(stepKey) };
          return await requestCoder(place, delegation, params);
        },
      });
      if ("failure" in outcome) return outcome;
      const { runId, text, output } = outcome.result;
      const files = await findChangedFiles(session.registry, spec, runId);
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

/** Runs a child to its end. Rejects only to end the pipeline. */
async function runChild(
  session: Session,
  { delegate, engine, assignments, findAgent }: PipelineServices,
  { reference, folder, stepKey, instruction, request }: Child,
): Promise<{ result: RunResult } | { failure: Failure }> {
  const { spec, prefix, signal, slot, watchdog } = session;
  signal.throwIfAborted();
  // Whoever wrote the file decided how many there are at once.
  const toolNames = spec.parentTools;
  const origin = { spec, stepKey: `${prefix}${stepKey}`, toolNames, isPlanned: true };
  try {
    const id = await delegate.assign(async () => {
      const found = await findAgent(reference, folder);
      const { delegation: asked, options, effort } = await request(found);
      const delegation = { ...asked, background: false };
      const call = { delegation, origin, ...(options !== undefined && { options }) };
      const assignment = await assignAgent(assignments, found, call);
      return { ...assignment, ...(effort !== undefined && { effort }), ...titleOf(instruction) };
    }, origin);
    const result = await watchdog.trustWhile(slot.yieldWhile(engine.result(id)));
    signal.throwIfAborted();
    return result.failure === undefined ? { result } : { failure: result.failure };
  } catch (error) {
    signal.throwIfAborted();
    if (isRegistryFailure(error)) throw error;
    return { failure: toFailure(error) };
  }
}

/** `coder`, and the number of its task where there are several. */
function coderLabel(stepKey: string): string {
  const number = Number(/task-(\d+)/.exec(stepKey)?.[1] ?? 0);
  return number === 0 ? "coder" : `coder ${number + 1}`;
}

const longestTitle = 200;

/** The first line of the instruction: the task of a child begins with words of Cadre, or with files. */
function titleOf(instruction: string): { title?: string } {
  const line = instruction.split("\n").find((one) => one.trim() !== "");
  return line === undefined ? {} : { title: line.trim().slice(0, longestTitle).toWellFormed() };
}
