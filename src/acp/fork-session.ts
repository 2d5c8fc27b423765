// `session/fork`, which the protocol's first version has as an extension.

import type { NewSessionRequest } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { CadreError, type CadreOptions, createCadre, type RunHandle } from "../host.ts";

/** The method, whose name the SDK does not list for version 1. */
export const forkMethod = "session/fork";

/** A request for a copy of a session. */
export interface ForkSessionRequest extends NewSessionRequest {
  sessionId: string;
}

const fields = z.object({
  sessionId: z.string().min(1),
  cwd: z.string().min(1),
  mcpServers: z.array(z.unknown()).default([]),
});

/** Reads the parameters of a request, as the SDK reads those of its own methods. */
export function parseFork(params: unknown): ForkSessionRequest {
  return fields.parse(params) as ForkSessionRequest;
}

/**
 * Copies the conversation whose latest turn is `runId`, and returns the only run of the copy. Nothing is executed: the turn has
 * ended, and its steps are recorded.
 *
 * @throws CadreError `invalid-argument` when the latest turn has not succeeded, because a copy of it would continue at once.
 */
export async function forkConversation(runId: string, options: CadreOptions): Promise<string> {
  await using cadre = await createCadre(options);
  const run = await cadre.find(runId);
  const { status } = await run.state();
  if (status !== "succeeded") {
    const message = `Expected a session whose latest turn has succeeded; it is ${status}. Send a prompt, wait for its end, and fork the session then.`;
    throw new CadreError("invalid-argument", message);
  }
  const copy: RunHandle = await cadre.fork(runId);
  await copy.result();
  return copy.id;
}
