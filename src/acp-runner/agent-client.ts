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

const internalError = -32603;

/** What an agent may ask of Cadre. The message of what these throw is told the agent. */
export interface AgentClient {
  /** The id of the session that it may speak of; `undefined` while there is none. */
  session(): string | undefined;
  /** A `session/update` as it came. */
  update: (params: unknown) => void;
  /** Whether it may go on with a call; `undefined` when the run is being ended. */
  permit(call: AgentCall): Promise<boolean | undefined>;
  /** The text of a file, from line `from` (1 is the first), `count` lines; `undefined` when it is not there. */
  readFile(path: string, lines: { from?: number; count?: number }): Promise<string | undefined>;
  writeFile(path: string, content: string): Promise<void>;
}

/**
 * Registers what `client` does for an agent, of which `abilities` are what is known by then. A request about another session is
 * refused.
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
      return choose(params.options, await orTell(client.permit(call)));
    })
    .onRequest(fs.readTextFile, async ({ params: { sessionId, path, line, limit } }) => {
      requireSession(sessionId);
      const lines = {
        ...(typeof line === "number" && { from: line }),
        ...(typeof limit === "number" && { count: limit }),
      };
      const content = await orTell(client.readFile(path, lines));
      if (content !== undefined) return { content };
      if (abilities()?.mistakesMissingFiles === true) return { content: "" };
      throw RequestError.resourceNotFound(path);
    })
    .onRequest(fs.writeTextFile, async ({ params: { sessionId, path, content } }) => {
      requireSession(sessionId);
      await orTell(client.writeFile(path, content));
      return {};
    });
}

/** Says what went wrong in the message itself: agents pass that on to their models, and drop what else an error holds. */
function orTell<Value>(work: Promise<Value>): Promise<Value> {
  return work.catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new RequestError(internalError, message);
  });
}

/** An answer for once before one for good: whether to ask again is Cadre's to decide. */
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
