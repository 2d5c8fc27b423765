import { RequestError } from "@agentclientprotocol/sdk";
import { CadreError } from "../../host.ts";
import { errorMessage } from "../../error-message.ts";

const invalidParams = -32602;
const notFound = -32002;
const internal = -32603;

/** Converts errors of `work` to protocol errors, whose messages the editor shows. */
export async function orProtocolError<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw toProtocolError(error);
  }
}

function toProtocolError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof CadreError) {
    return new RequestError(codeOf(error), error.message, { code: error.code });
  }
  return new RequestError(internal, errorMessage(error));
}

function codeOf({ code }: CadreError): number {
  if (code === "run-not-found") return notFound;
  const isOfRequest = code === "invalid-argument" || code === "agent-not-found";
  return isOfRequest ? invalidParams : internal;
}

/** Returns the error for a session that is not open. */
export function sessionNotFound(sessionId: string): RequestError {
  const advice = "session/list lists the sessions; open one first.";
  return new RequestError(notFound, `There is no open session ${sessionId}. ${advice}`, {
    sessionId,
  });
}
