import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { HostRequest } from "../question/question-pool.ts";

/** The extension with which clients of 2026-07-28 take runs as tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Returns the capabilities in a request of 2026-07-28; `undefined` for a request of an earlier generation. */
export function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** Reports whether the client can show its user a form. A client that names no mode can. */
export function canElicit({ elicitation }: ClientCapabilities): boolean {
  return (
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  );
}

/** Reports whether the client offers its model (sampling). */
export function canSample({ sampling }: ClientCapabilities): boolean {
  return sampling !== undefined;
}

/** Reports whether the client's model accepts tools. */
export function canSampleWithTools({ sampling }: ClientCapabilities): boolean {
  return sampling?.tools !== undefined;
}

/** Reports whether the client can answer a question. */
export function canAnswer(
  capabilities: ClientCapabilities,
  { method }: Pick<HostRequest, "method">,
): boolean {
  return method === "elicitation/create" ? canElicit(capabilities) : canSample(capabilities);
}

/** Reports whether a client of 2026-07-28 takes runs as tasks. */
export function canPoll(capabilities: ClientCapabilities): boolean {
  return capabilities.extensions?.[tasksExtension] !== undefined;
}
