import { ApiError, createClient, type ApiClient } from "../../src/client.ts";

/** The API of the server that sent the page. The cookie of the browser signs the calls. */
export const api: ApiClient = createClient();

/** Advice about an error. */
export function explain(error: Error): string {
  const isSignedOut = error instanceof ApiError && error.code === "not-signed-in";
  return isSignedOut
    ? "This browser is not signed in. Open the link that `cadre serve` printed."
    : error.message;
}
