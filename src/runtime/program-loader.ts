import { checkDefinition } from "../delegate/check-definition.ts";
import type { Delegate } from "../delegate/delegate.ts";
import { createGraphProgram, graphOf } from "../delegate/graph/graph-program.ts";
import type { ConductOptions } from "../engine/conduct.ts";
import type { Engine } from "../engine/engine.ts";
import type { AgentAccess } from "./agent-access.ts";
import type { AipServices } from "./aip-port.ts";
import type { Catalog } from "./catalog.ts";

type Asking = "resolveModel" | "resolveDefaultModel" | "clock" | "stream" | "limits";

/** What {@link createProgramLoader} needs. */
export interface ProgramLoaderOptions extends Pick<AipServices, Asking | "openShell" | "home"> {
  catalog: Catalog;
  access: AgentAccess;
  /** Where Cadre was opened. Runs work there, or in a copy of it. */
  cwd: string;
  isTrusted: (path: string) => boolean;
  delegate: () => Delegate;
  engine: () => Engine;
}

/** The functions behind programs: those of files and of the library, and those that conduct graphs, pipelines and `.aip`. */
export function createProgramLoader(options: ProgramLoaderOptions): ConductOptions["loadProgram"] {
  const { catalog, access, isTrusted } = options;
  return async (definition, session) => {
    const port = { delegate: options.delegate(), engine: options.engine() };
    const services = { ...access, ...port, assignments: access };
    const { format } = definition.source;
    if (format === "prompt") {
      const { createPipelineProgram } = await import("./pipeline-program.ts");
      return createPipelineProgram(session, { ...services, home: options.home });
    }
    if (format === "aip") {
      // The folder may have lost its trust since the run was created.
      checkDefinition(definition, isTrusted);
      const { createAipProgram } = await import("./aip-program.ts");
      const isWorkspaceTrusted = isTrusted(options.cwd);
      return createAipProgram(session, { ...options, ...services, isWorkspaceTrusted });
    }
    const graph = graphOf(definition);
    if (graph === undefined) return await catalog.program(definition);
    return createGraphProgram(graph, session, port);
  };
}
