/** The run that a fork or retry was made from. A turn that continues a conversation has `RunSpec.continues` instead. */
export type Lineage =
  /** A run that begins with the steps of `runId` up to and including `step`. */
  | { kind: "fork"; runId: string; step: string }
  /** A run that retries the failed run `runId`. */
  | { kind: "retry"; runId: string };
