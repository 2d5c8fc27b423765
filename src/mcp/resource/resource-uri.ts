import type { Run } from "../../host.ts";

/** The URI of the list of agents. */
export const agentsUri = "cadre://agents";

/** The URI of the list of runs. */
export const runsUri = "cadre://runs";

/** Returns the URI of a run's state and result. */
export function runUri(id: string): string {
  return `${runsUri}/${id}`;
}

/** Returns the URI of a run's transcript. */
export function transcriptUri(id: string): string {
  return `${runUri(id)}/transcript`;
}

/** A resource of this server. */
export type ResourceName =
  | { kind: "agents" }
  | { kind: "runs" }
  | { kind: "run"; id: string }
  | { kind: "transcript"; id: string };

/** Parses a URI; `undefined` when it names no resource. */
export function readResourceUri(uri: string): ResourceName | undefined {
  if (uri === agentsUri) return { kind: "agents" };
  if (uri === runsUri) return { kind: "runs" };
  const [, id, transcript] = /^cadre:\/\/runs\/([\w-]+)(\/transcript)?$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  return { kind: transcript === undefined ? "run" : "transcript", id };
}

/** Returns the URIs of the resources that an event changes. */
export function changedResources({ id }: Pick<Run, "id">): string[] {
  return [runUri(id), transcriptUri(id)];
}
