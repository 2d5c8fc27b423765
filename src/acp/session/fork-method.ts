/** `session/fork`, an extension of both versions of the protocol. */

import { z } from "zod";
import type { GivenServer } from "./editor-servers.ts";

/** The name of the method, which the SDK does not list. */
export const forkMethod = "session/fork";

/** A request to copy a session. */
export interface ForkSessionRequest {
  sessionId: string;
  cwd: string;
  mcpServers: GivenServer[];
}

const fields = z.object({
  sessionId: z.string().min(1),
  cwd: z.string().min(1),
  mcpServers: z.array(z.unknown()).default([]),
});

/** Parses the parameters of a request as the SDK parses those of its own methods. */
export function parseFork(params: unknown): ForkSessionRequest {
  return fields.parse(params) as ForkSessionRequest;
}
