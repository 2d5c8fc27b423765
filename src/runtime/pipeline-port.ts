import { dirname } from "node:path";
import type { AgentDefinition } from "../agent/agent.ts";
import { isFileModel } from "../delegate/choose-model.ts";
import type { Delegate } from "../delegate/delegate.ts";
import { assignAgent, type AssignmentSource } from "../delegate/to-assignment.ts";
import { isRegistryFailure } from "../engine/ending.ts";
import type { Engine } from "../engine/engine.ts";
import type { Session } from "../engine/session.ts";
import { toFailure } from "../engine/to-failure.ts";
import { CadreError } from "../errors.ts";
import type { PipelinePort } from "../pipeline/port.ts";
import type { Delegation } from "../run/delegation.ts";
import type { Failure } from "../run/failure.ts";
import type { RunResult } from "../run/result.ts";
import type { JsonValue } from "../source/json.ts";
import { findChangedFiles } from "./changed-files.ts";
import { createPipelineRecord } from "./pipeline/pipeline-record.ts";
import { askSubAgent, instructionOf, toSubAgentRun } from "./sub-agent-request.ts";

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

  return {
    record: await createPipelineRecord(session),
    async runSubAgent(config, input, stepKey) {
      const outcome = await runChild(session, services, {
        reference: config.name,
        folder: input.coder_prompt_dir,
        stepKey,
        instruction: instructionOf(input),
        request(found) {
          const asked = askSubAgent(found, config, input);
          if (asked.model !== undefined) checkModel(asked.model);
          return asked;
        },
      });
      return "failure" in outcome ? outcome : toSubAgentRun(outcome.result);
    },
    async runCoder({ prompt: task, instruction }, params, stepKey) {
      const { agent, model } = params;
      const outcome = await runChild(session, services, {
        reference: typeof agent === "string" ? agent : defaultCoder,
        folder: definition.source.path === null ? spec.workspace : dirname(definition.source.path),
        stepKey,
        instruction,
        request({ name }) {
          const asked = coderModel(session, model);
          if (asked !== undefined) checkModel(asked);
          const label = coderLabel(stepKey);
          return { agent: name, task, label, ...(asked !== undefined && { model: asked }) };
        },
      });
      if ("failure" in outcome) return outcome;
      const { runId, text, output } = outcome.result;
      const files = await findChangedFiles(session.registry, spec, runId);
      const isSilent = text === "" && output !== undefined;
      return { text: isSilent ? JSON.stringify(output) : text, files_changed: files };
    },
  };

  /** A sub-agent may hand on a model of a file that the prompt file names, but not think of one. */
  function checkModel(asked: string): void {
    if (asked === spec.model) return;
    services.checkModel({ model: asked, source: definition.source });
    if (!isFileModel(asked) || says(definition.prompt?.params ?? null, asked)) return;
    const message = `Expected a provider's model, got ${asked}: it names a file, which sub-agents must not choose.`;
    throw new CadreError("invalid-argument", message);
  }

  /** What the prompt file itself says was resolved when the run was created; agents may have changed it since. */
  function coderModel({ spec: { model } }: Session, given: unknown): string | undefined {
    if (typeof given !== "string") return undefined;
    return given === definition.prompt?.params["model"] ? (model ?? undefined) : given;
  }
}

/** Whether a text is among the values of `params`, however deep. */
function says(params: JsonValue, text: string): boolean {
  if (typeof params !== "object" || params === null) return params === text;
  return Object.values(params).some((value) => says(value, text));
}

interface ChildRequest {
  reference: string;
  folder: string;
  stepKey: string;
  instruction: string;
  request: (found: AgentDefinition) => Delegation;
}

/** Runs a child to its end. Rejects only to end the pipeline. */
async function runChild(
  session: Session,
  { delegate, engine, assignments, findAgent }: PipelineServices,
  { reference, folder, stepKey, instruction, request }: ChildRequest,
): Promise<{ result: RunResult } | { failure: Failure }> {
  const { spec, prefix, signal, slot, watchdog } = session;
  signal.throwIfAborted();
  // Whoever wrote the file decided how many there are at once.
  const toolNames = spec.parentTools;
  const origin = { spec, stepKey: `${prefix}${stepKey}`, toolNames, isPlanned: true };
  try {
    const id = await delegate.assign(async () => {
      const found = await findAgent(reference, folder);
      const delegation = { ...request(found), background: false };
      const assignment = await assignAgent(assignments, found, { delegation, origin });
      return { ...assignment, ...titleOf(instruction) };
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
