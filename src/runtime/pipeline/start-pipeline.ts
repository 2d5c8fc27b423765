import type { Delegate } from "../../delegate/start/delegate.ts";
import { checkDelegation } from "../../delegate/request/check-delegation.ts";
import { assignAgent, type AssignmentSource } from "../../delegate/request/to-assignment.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { readQueueRequest } from "../../run/queue/queue-request.ts";
import { formatDiagnostic } from "../../source/diagnostic.ts";
import type { PipelineRequest } from "../pipeline-request.ts";
import { findPromptFiles, loadPromptAgent } from "./prompt-agents.ts";

/** Starts the pipeline of a prompt file, an absolute path. Resolves with the id of its run. */
export type StartPipeline = (path: string, request: PipelineRequest) => Promise<string>;

/** Creates the function that starts pipelines with `delegate`. `cwd` is the folder that their names are relative to. */
export function createStartPipeline(
  source: AssignmentSource,
  delegate: Pick<Delegate, "start">,
  cwd: string,
): StartPipeline {
  return async (path, { id, queue, ...request }) =>
    await delegate.start(async () => {
      const definition = await loadPipeline(path, cwd);
      const delegation = { ...request, agent: definition.name };
      checkDelegation(delegation, "delegation");
      const assignment = await assignAgent(source, definition, { delegation, origin: undefined });
      const asked = queue === undefined ? undefined : readQueueRequest(queue);
      return { ...assignment, ...omitUndefined({ runId: id, queue: asked }) };
    });
}

async function loadPipeline(path: string, cwd: string): ReturnType<typeof loadPromptAgent> {
  if ((await findPromptFiles([path])).length === 0) {
    const message = `Expected a prompt file, a Markdown file that does not describe an agent; got ${path}.`;
    throw new CadreError("invalid-argument", message);
  }
  const definition = await loadPromptAgent(path, cwd);
  const errors = definition.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return definition;
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  const message = `The pipeline ${definition.name} cannot be run; nothing was started:${lines}`;
  throw new CadreError("definition-invalid", message, { details: { diagnostics: errors } });
}
