/** The run that another one was made from. */
export type Lineage =
  /** It begins with the steps of `runId` up to and including `step`. */
  | { kind: "fork"; runId: string; step: string }
  /** It does what `runId` did not succeed in. */
  | { kind: "retry"; runId: string };
