import { checkDefinition } from "../../delegate/request/check-definition.ts";
import type { Delegate } from "../../delegate/start/delegate.ts";
import { createGraphProgram, graphOf } from "../../delegate/graph/graph-program.ts";
import type { ConductOptions } from "../../engine/life/conduct.ts";
import { toInternalProgram } from "../../engine/program/internal-context.ts";
import type { Engine } from "../../engine/engine.ts";
import type { AgentAccess } from "./agent-access.ts";
import type { AipServices } from "../aip/aip-port.ts";
import type { Catalog } from "./catalog.ts";

/** Options of {@link createProgramLoader}. */
export interface ProgramLoaderOptions extends Pick<
  AipServices,
  "resolveModel" | "openShell" | "home"
> {
  catalog: Catalog;
  access: AgentAccess;
  /** The project's folder. Runs work there or in a copy. */
  cwd: string;
  isTrusted: (path: string) => boolean;
  delegate: () => Delegate;
  engine: () => Engine;
}

/** Creates the loader of programs: those from files and code, and those for graphs, pipelines and `.aip`. */
export function createProgramLoader(options: ProgramLoaderOptions): ConductOptions["loadProgram"] {
  const { catalog, access, isTrusted } = options;
  return async (definition) => {
    const port = { delegate: options.delegate(), engine: options.engine() };
    const services = { ...access, ...port, assignments: access };
    const { format } = definition.source;
    if (format === "prompt") {
      const { createPipelineProgram } = await import("../pipeline/pipeline-program.ts");
      return createPipelineProgram({ ...services, home: options.home });
    }
    if (format === "aip") {
      // The folder may have lost its trust since the run was created.
      checkDefinition(definition, isTrusted);
      const { createAipProgram } = await import("../aip/aip-program.ts");
      const isWorkspaceTrusted = isTrusted(options.cwd);
      return createAipProgram({ ...options, ...services, isWorkspaceTrusted });
    }
    const graph = graphOf(definition);
    if (graph === undefined) return toInternalProgram(await catalog.program(definition));
    return createGraphProgram(graph, port);
  };
}
