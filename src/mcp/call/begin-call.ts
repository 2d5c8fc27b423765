import type { CallToolResult } from "@modelcontextprotocol/server";
import { CadreError, type DelegateOutcome } from "../../host.ts";
import type { Call } from "../client/call.ts";
import { canAnswer } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import { nameServerFlags } from "./name-server-flags.ts";
import type { OfferedTool } from "./offered-tool.ts";
import type { QuestionPool } from "../question/question-pool.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Starts the work of a tool call. */
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
        // The run is its own root, unless the call waits for a run inside a family.
        roots.add(id);
        // A registry failure is reported with the outcome.
        addRoot(id).catch(() => undefined);
      },
    })
    .then(toResult, toErrorResult);
  // The client may have disconnected.
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

/** Returns an outcome in the protocol's form. */
export function toResult({ text, isError, data }: DelegateOutcome): CallToolResult {
  return {
    content: [{ type: "text", text: isError ? nameServerFlags(text) : text }],
    ...omitUndefined({ structuredContent: data }),
    ...(isError && { isError }),
  };
}

/** Returns the result for an error. The model can correct an invalid request; any other error is thrown as the server's. */
function toErrorResult(error: unknown): CallToolResult {
  if (!(error instanceof CadreError)) throw error;
  const text = `${nameServerFlags(error.message)} (${error.code})`;
  return { content: [{ type: "text", text }], isError: true };
}
