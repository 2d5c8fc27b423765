import {
  type ClientApp,
  methods,
  type PermissionOption,
  type PermissionOptionKind,
  RequestError,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { AgentAbilities } from "./agent-abilities.ts";
import type { AgentCall } from "./agent-update.ts";
import { readCall } from "./read-update.ts";
import { errorMessage } from "../error-message.ts";

const internalError = -32603;

/** Handles the requests of an agent. The agent receives the message of any error that these functions throw. */
export interface AgentClient {
  /** Returns the id of the open session; `undefined` while there is none. */
  session(): string | undefined;
  /** Receives an unvalidated `session/update`. */
  update: (params: unknown) => void;
  /** Decides whether a call is permitted; `undefined` when the run is ending. */
  checkPermission(call: AgentCall): Promise<boolean | undefined>;
  /** Reads `count` lines of a file, starting at line `from` (1 is the first); `undefined` for a missing file. */
  readFile(path: string, lines: { from?: number; count?: number }): Promise<string | undefined>;
  writeFile(path: string, content: string): Promise<void>;
}

/**
 * Registers the handlers of an agent's requests. `abilities` returns the agent's capabilities once they are known.
 * Requests for another session are refused.
 */
export function serveAgent(
  app: ClientApp,
  client: AgentClient,
  abilities: () => AgentAbilities | undefined,
): ClientApp {
  const { session, fs } = methods.client;
  const requireSession = (id: string): void => {
    if (id !== client.session()) throw RequestError.sessionNotFound(id);
  };
  return app
    .onRequest(session.requestPermission, async ({ params }) => {
      requireSession(params.sessionId);
      const call = readCall({ ...params.toolCall });
      if (call === undefined) throw RequestError.invalidParams();
      return choose(params.options, await exposeProblem(client.checkPermission(call)));
    })
    .onRequest(fs.readTextFile, async ({ params: { sessionId, path, line, limit } }) => {
      requireSession(sessionId);
      const lines = {
        ...(typeof line === "number" && { from: line }),
        ...(typeof limit === "number" && { count: limit }),
      };
      const content = await exposeProblem(client.readFile(path, lines));
      if (content !== undefined) return { content };
      if (abilities()?.mistakesMissingFiles === true) return { content: "" };
      throw RequestError.resourceNotFound(path);
    })
    .onRequest(fs.writeTextFile, async ({ params: { sessionId, path, content } }) => {
      requireSession(sessionId);
      await exposeProblem(client.writeFile(path, content));
      return {};
    });
}

/** Puts the problem into the error's message, because agents forward only the message to their models. */
function exposeProblem<Value>(work: Promise<Value>): Promise<Value> {
  return work.catch((error: unknown) => {
    const message = errorMessage(error);
    throw new RequestError(internalError, message);
  });
}

/** Prefers answers for one call over permanent ones, so that Cadre decides on every call. */
const preferred: Readonly<Record<"yes" | "no", readonly PermissionOptionKind[]>> = {
  yes: ["allow_once", "allow_always"],
  no: ["reject_once", "reject_always"],
};

function choose(
  options: readonly PermissionOption[],
  isAllowed: boolean | undefined,
): RequestPermissionResponse {
  const kinds = isAllowed === undefined ? [] : preferred[isAllowed ? "yes" : "no"];
  const chosen = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  if (chosen === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: chosen.optionId } };
}
