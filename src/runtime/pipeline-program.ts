import { dirname } from "node:path";
import type { ProgramAgent } from "../agent/program.ts";
import type { Session } from "../engine/session.ts";
import { RunFailed } from "../engine/to-failure.ts";
import { runPipeline } from "../pipeline/run-pipeline.ts";
import { toPipelineOutput } from "./pipeline-output.ts";
import { writeAnswer } from "./pipeline/write-answer.ts";
import { createPipelinePort, type PipelineServices } from "./pipeline-port.ts";

/** The program that runs the pipeline of a prompt file as the run of `session`. */
export function createPipelineProgram(
  session: Session,
  services: PipelineServices & { home: string },
): ProgramAgent {
  const { definition, spec, signal, said, warnings } = session;
  const { params = {}, instruction = "" } = definition.prompt ?? {};
  return {
    name: definition.name,
    description: "",
    async run(_, context) {
      const prompt = { path: definition.source.path ?? spec.workspace, params, instruction };
      const port = await createPipelinePort(session, services);
      const agentFolders = dirname(context.stateFolder);
      const { home } = services;
      const place = { workspace: spec.workspace, signal, agentFolders, home };
      const result = await runPipeline(prompt, place, port);
      for (const warning of result.warnings) warnings.add(warning);
      const { path: file } = definition.source;
      if (params["write_answer"] === true && file !== null) {
        await writeAnswer(session, file, result);
      }
      const { output, warnings: cuts } = toPipelineOutput(result);
      for (const warning of cuts) warnings.add(warning);
      const { text, failure } = result;
      if (failure === null) return { text, output };
      // The coder's work before the failure is not undone.
      Object.assign(said, { text, output });
      throw new RunFailed(failure);
    },
  };
}
