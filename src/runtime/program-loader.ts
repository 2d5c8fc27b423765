import type { Delegate } from "../delegate/delegate.ts";
import { createGraphProgram, graphOf } from "../delegate/graph/graph-program.ts";
import type { ConductOptions } from "../engine/conduct.ts";
import type { Engine } from "../engine/engine.ts";
import type { AgentAccess } from "./agent-access.ts";
import type { Catalog } from "./catalog.ts";
import { createPipelineProgram } from "./pipeline-program.ts";

/** What {@link createProgramLoader} needs. */
export interface ProgramLoaderOptions {
  catalog: Catalog;
  access: AgentAccess;
  delegate: () => Delegate;
  engine: () => Engine;
}

/** The functions behind program agents: those of files and of the library, and those that conduct graphs and pipelines. */
export function createProgramLoader({
  catalog,
  access,
  delegate,
  engine,
}: ProgramLoaderOptions): ConductOptions["loadProgram"] {
  return async (definition, session) => {
    const port = { delegate: delegate(), engine: engine() };
    if (definition.source.format === "prompt") {
      return createPipelineProgram(session, { ...port, ...access, assignments: access });
    }
    const graph = graphOf(definition);
    if (graph === undefined) return await catalog.program(definition);
    return createGraphProgram(graph, session, port);
  };
}
