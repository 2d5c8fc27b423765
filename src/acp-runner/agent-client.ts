import {
  type ClientApp,
  methods,
  type PermissionOption,
  type PermissionOptionKind,
  RequestError,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { AgentCall } from "./agent-update.ts";
import { readCall } from "./read-update.ts";

/** What an agent may ask of Cadre. What these throw is told the agent. */
export interface AgentClient {
  /** A `session/update` as it came. */
  update: (params: unknown) => void;
  /** Whether it may go on with a call; `undefined` when the run is being ended. */
  permit(call: AgentCall): Promise<boolean | undefined>;
  /** The text of a file, from line `from` (1 is the first), `count` lines. */
  readFile(path: string, lines: { from?: number; count?: number }): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
}

/** Registers what `client` does for an agent. */
export function serveAgent(app: ClientApp, client: AgentClient): ClientApp {
  const { session, fs } = methods.client;
  return app
    .onRequest(session.requestPermission, async ({ params }) => {
      const call = readCall({ ...params.toolCall });
      if (call === undefined) throw RequestError.invalidParams();
      return choose(params.options, await client.permit(call));
    })
    .onRequest(fs.readTextFile, async ({ params: { path, line, limit } }) => {
      const lines = {
        ...(typeof line === "number" && { from: line }),
        ...(typeof limit === "number" && { count: limit }),
      };
      return { content: await client.readFile(path, lines) };
    })
    .onRequest(fs.writeTextFile, async ({ params: { path, content } }) => {
      await client.writeFile(path, content);
      return {};
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
