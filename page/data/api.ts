// Data of the page: queries of the API, and conversion of their answers to what views show.

import { ApiError, createClient, type ApiClient } from "../../src/client.ts";

/** The API of the server that sent the page, for the shown project. The browser's cookie authenticates the calls. */
export let api: ApiClient = createClient();

/** The address of the events of all runs of the project. */
export let eventsAddress = "/api/v1/events";

/** Directs all further calls to a project; the empty name means the server's first project. */
export function chooseProject(project: string): void {
  const isFirst = project === "";
  api = createClient(isFirst ? {} : { project });
  eventsAddress = isFirst
    ? "/api/v1/events"
    : `/api/v1/projects/${encodeURIComponent(project)}/events`;
}

/** Returns the address of the content of a run's artifact. */
export function artifactAddress(run: string, artifact: string): string {
  const root = eventsAddress.slice(0, -"/events".length);
  return `${root}/runs/${encodeURIComponent(run)}/artifacts/${encodeURIComponent(artifact)}`;
}

/** Returns advice about an error. */
export function explain(error: Error): string {
  const isSignedOut = error instanceof ApiError && error.code === "not-signed-in";
  return isSignedOut
    ? "This browser is not signed in. Open the link that `cadre serve` printed."
    : error.message;
}
