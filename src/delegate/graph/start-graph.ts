import { basename } from "node:path";
import { CadreError } from "../../errors.ts";
import type { Delegation } from "../../run/delegation.ts";
import type { QueueRequest } from "../../run/queue/queue-request.ts";
import { type Diagnostic, formatDiagnostic, hasError } from "../../source/diagnostic.ts";
import type { Delegate } from "../start/delegate.ts";
import { checkGraph, type GraphCheckOptions } from "./check-graph.ts";
import { defineGraph } from "./graph-program.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Settings of a graph that override its file. */
export type GraphRequest = Pick<
  Delegation,
  "label" | "model" | "fallbacks" | "timeoutSeconds" | "budget"
> & {
  /** The id of the coordinating run, as in a request for a run. Default: a new id. */
  id?: string;
  /** How the graph waits for a worker, as in a request for a run. */
  queue?: QueueRequest;
};

/** Services for the start of a graph. */
export interface GraphStart extends GraphCheckOptions {
  delegate: Delegate;
}

/**
 * Starts the graph in the file at `path` as one family. Resolves with the id of the coordinating run.
 *
 * @throws CadreError `definition-invalid` with every problem of the file and its position. No run is created then.
 */
export async function startGraph(
  start: GraphStart,
  path: string,
  { id, queue, ...request }: GraphRequest,
): Promise<string> {
  const { graph, diagnostics } = await checkGraph(start, path);
  if (graph === undefined || hasError(diagnostics)) throw refusal(path, diagnostics);
  const { sharedContext, model } = graph;
  return await start.delegate.assign({
    definition: defineGraph(graph),
    task: `Run the graph ${basename(path)}: ${graph.runs.map(({ label }) => label).join(", ")}`,
    ...omitUndefined({ sharedContext, model }),
    ...request,
    ...omitUndefined({ runId: id, queue }),
  });
}

function refusal(path: string, diagnostics: readonly Diagnostic[]): CadreError {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
  const message = `The graph ${path} cannot be run; nothing was started:${lines}`;
  return new CadreError("definition-invalid", message, { details: { diagnostics: errors } });
}
