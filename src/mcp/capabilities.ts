import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { HostRequest } from "./question-pool.ts";

/** The extension by which clients of 2026-07-28 take runs as tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** What the client of a request of 2026-07-28 said with it; `undefined` for a request of an earlier generation. */
export function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** Whether the client can show its user a form. One that names no mode shows forms. */
export function canElicit({ elicitation }: ClientCapabilities): boolean {
  return (
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  );
}

/** Whether the client lets others ask its model. */
export function canSample({ sampling }: ClientCapabilities): boolean {
  return sampling !== undefined;
}

/** Whether the client's model can be given tools. */
export function canSampleWithTools({ sampling }: ClientCapabilities): boolean {
  return sampling?.tools !== undefined;
}

/** Whether the client can be asked for that. */
export function canAnswer(
  capabilities: ClientCapabilities,
  { method }: Pick<HostRequest, "method">,
): boolean {
  return method === "elicitation/create" ? canElicit(capabilities) : canSample(capabilities);
}

/** Whether a client of 2026-07-28 takes runs as tasks. */
export function canPoll(capabilities: ClientCapabilities): boolean {
  return capabilities.extensions?.[tasksExtension] !== undefined;
}
