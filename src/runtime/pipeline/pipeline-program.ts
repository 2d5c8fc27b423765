// Pipelines as programs: their sub-agents and coders become child runs.

import { dirname } from "node:path";
import type { InternalProgram } from "../../engine/program/internal-context.ts";
import { RunFailed } from "../../engine/run-failed.ts";
import { runPipeline } from "../../pipeline/run-pipeline.ts";
import { toPipelineOutput } from "./pipeline-output.ts";
import { writeAnswer } from "./write-answer.ts";
import { createPipelinePort, type PipelineServices } from "./pipeline-port.ts";

/** Creates the program that runs the pipeline of a prompt file. */
export function createPipelineProgram(
  services: PipelineServices & { home: string },
): InternalProgram {
  return {
    async run(_, context) {
      const { definition, spec, signal, warn, keep, program } = context;
      const { params = {}, instruction = "" } = definition.prompt ?? {};
      const prompt = { path: definition.source.path ?? spec.workspace, params, instruction };
      const port = await createPipelinePort(context, services);
      const agentFolders = dirname(program.stateFolder);
      const { home } = services;
      const coderContext = { workspace: spec.workspace, signal, agentFolders, home };
      const result = await runPipeline(prompt, coderContext, port);
      for (const warning of result.warnings) warn(warning);
      const { output, warnings: cuts } = toPipelineOutput(result);
      for (const warning of cuts) warn(warning);
      const { text, failure } = result;
      // The agents' work before a failure or a stop is not undone.
      keep({ text, output });
      signal.throwIfAborted();
      const { path: file } = definition.source;
      if (params["write_answer"] === true && file !== null) {
        await writeAnswer(context, file, result);
      }
      if (failure === null) return { text, output };
      throw new RunFailed(failure);
    },
  };
}
