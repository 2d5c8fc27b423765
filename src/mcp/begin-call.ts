import type { CallToolResult } from "@modelcontextprotocol/server";
import { CadreError, type DelegateOutcome } from "../index.ts";
import type { Call } from "./call.ts";
import { canAnswer } from "./capabilities.ts";
import type { Client } from "./client.ts";
import type { OfferedTool } from "./offered-tool.ts";
import type { QuestionPool } from "./question-pool.ts";

/** Begins to do what a tool is called for. */
export function beginCall(
  { client, pool }: { client: Client; pool: QuestionPool },
  tool: OfferedTool,
  input: unknown,
): Call {
  const [stop, left] = [new AbortController(), new AbortController()];
  const begun = Promise.withResolvers<string>();
  const roots = new Set<string>();

  async function addRoot(runId: string): Promise<void> {
    roots.add((await client.stateOf(runId)).rootId);
    pool.poke();
  }

  const outcome = tool
    .call(input, {
      signal: stop.signal,
      left: left.signal,
      onRun(id) {
        begun.resolve(id);
        // It is its own root, unless somebody waits for a part of a family.
        roots.add(id);
        // A registry that fails is told by the outcome.
        addRoot(id).catch(() => undefined);
      },
    })
    .then(toResult, toErrorResult);
  // The client may have gone.
  outcome.catch(() => undefined);
  return {
    key: "",
    begun: begun.promise,
    outcome,
    concerns: (rootId) => roots.has(rootId),
    needs: ({ rootId, client: owner, request }) =>
      canAnswer(client.capabilities, request) &&
      (rootId === null ? owner === client.name : roots.has(rootId)),
    cancel: () => stop.abort(new CadreError("closed", "The client cancelled the request.")),
    leave: () => left.abort(),
  };
}

/** An outcome in the protocol's form. */
export function toResult({ text, isError, data }: DelegateOutcome): CallToolResult {
  return {
    content: [{ type: "text", text }],
    ...(data !== undefined && { structuredContent: data }),
    ...(isError && { isError }),
  };
}

/** What was asked for wrongly is for the model to put right; anything else is an error of the server. */
function toErrorResult(error: unknown): CallToolResult {
  if (!(error instanceof CadreError)) throw error;
  return { content: [{ type: "text", text: `${error.message} (${error.code})` }], isError: true };
}
