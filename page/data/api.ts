import { ApiError, createClient, type ApiClient } from "../../src/client.ts";

/** The API of the server that sent the page, about the project that is shown. The cookie of the browser signs the calls. */
export let api: ApiClient = createClient();

/** Where the events of all runs of the project are. */
export let eventsAddress = "/api/v1/events";

/** Makes all further calls about a project; the empty name: the first one of the server. */
export function chooseProject(project: string): void {
  const isFirst = project === "";
  api = createClient(isFirst ? {} : { project });
  eventsAddress = isFirst
    ? "/api/v1/events"
    : `/api/v1/projects/${encodeURIComponent(project)}/events`;
}

/** Where the content of an artifact of a run is. */
export function artifactAddress(run: string, artifact: string): string {
  const root = eventsAddress.slice(0, -"/events".length);
  return `${root}/runs/${encodeURIComponent(run)}/artifacts/${encodeURIComponent(artifact)}`;
}

/** Advice about an error. */
export function explain(error: Error): string {
  const isSignedOut = error instanceof ApiError && error.code === "not-signed-in";
  return isSignedOut
    ? "This browser is not signed in. Open the link that `cadre serve` printed."
    : error.message;
}
