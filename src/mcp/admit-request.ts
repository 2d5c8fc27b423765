import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";

/** Where the protocol is served. */
export const endpoint = "/mcp";

/** Answers a request that may not go on, and says whether one may. */
export type Admission = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Lets those in who ask this machine by one of its own names, so that no web page can reach the server by a name that it
 * makes point here, and who know the token.
 */
export function createAdmission(token: string): Admission {
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
        "Expected the header Authorization: Bearer with the token that `cadre mcp` said when it began.",
      );
      return false;
    }
    const [path] = (request.url ?? "").split("?");
    if (path === endpoint) return true;
    refuse(response, 404, `Nothing is served here; the protocol is at ${endpoint}.`);
    return false;
  };
}

/** Answers with an error in the protocol's form. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(errorBody(message)));
}

/** An error that belongs to no request. */
export function errorBody(message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code: -32000, message } };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
