import type { Run } from "../index.ts";

/** Every agent there is. */
export const agentsUri = "cadre://agents";

/** The runs of the project. */
export const runsUri = "cadre://runs";

/** How one run stands, and its result. */
export function runUri(id: string): string {
  return `${runsUri}/${id}`;
}

/** A run step by step. */
export function transcriptUri(id: string): string {
  return `${runUri(id)}/transcript`;
}

/** What a URI of this server names; `undefined` when it names nothing. */
export type ResourceName =
  | { kind: "agents" }
  | { kind: "runs" }
  | { kind: "run"; id: string }
  | { kind: "transcript"; id: string };

/** Reads a URI. */
export function readResourceUri(uri: string): ResourceName | undefined {
  if (uri === agentsUri) return { kind: "agents" };
  if (uri === runsUri) return { kind: "runs" };
  const [, id, transcript] = /^cadre:\/\/runs\/([\w-]+)(\/transcript)?$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  return { kind: transcript === undefined ? "run" : "transcript", id };
}

/** What an event of a run changes. */
export function changedResources({ id }: Pick<Run, "id">): string[] {
  return [runUri(id), transcriptUri(id)];
}
