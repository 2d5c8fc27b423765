import type { Delegate } from "../delegate/delegate.ts";
import { createGraphProgram, graphOf } from "../delegate/graph/graph-program.ts";
import type { ConductOptions } from "../engine/conduct.ts";
import type { Engine } from "../engine/engine.ts";
import type { Catalog } from "./catalog.ts";

/** The functions behind program agents: those of files and of the library, and the one that conducts graphs. */
export function createProgramLoader(
  catalog: Catalog,
  { delegate, engine }: { delegate: () => Delegate; engine: () => Engine },
): ConductOptions["loadProgram"] {
  return async (definition, session) => {
    const graph = graphOf(definition);
    if (graph === undefined) return await catalog.program(definition);
    return createGraphProgram(graph, session, { delegate: delegate(), engine: engine() });
  };
}
