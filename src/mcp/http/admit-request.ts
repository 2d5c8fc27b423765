import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";

/** The path of the protocol. */
export const endpoint = "/mcp";

/** Reports whether a request is admitted. Responds to a refused one. */
export type Admission = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Returns a check that admits requests with the token whose host is a name of this machine. Otherwise, a web page could reach the
 * server through its own host name that resolves to this machine.
 */
export function createRequestAdmission(token: string): Admission {
  const isHostKnown = localhostHostValidation();
  const isOriginKnown = localhostOriginValidation();
  const expected = digest(token);
  return (request, response) => {
    if (!isHostKnown(request, response) || !isOriginKnown(request, response)) return false;
    const [, given = ""] = /^bearer +(.+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (!timingSafeEqual(digest(given), expected)) {
      response.setHeader("WWW-Authenticate", 'Bearer realm="cadre"');
      refuse(
        response,
        401,
        "Expected the header Authorization: Bearer with the token that `cadre mcp` printed at its start.",
      );
      return false;
    }
    const [path] = (request.url ?? "").split("?");
    if (path === endpoint) return true;
    refuse(response, 404, `Nothing is served here; the protocol is at ${endpoint}.`);
    return false;
  };
}

/** Sends an error in the protocol's form. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(errorBody(message)));
}

/** Returns an error without a request id. */
export function errorBody(message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code: -32000, message } };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
