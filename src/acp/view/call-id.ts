/** Returns the id of a call that is unique among the runs of a turn. */
export function callId(runId: string, id: string): string {
  return `${runId}/${id}`;
}

/** Returns the call whose step requested a run. A call that requests several runs has a step below its own for each. */
export function callOfStep(step: string): string {
  return /^(.*tool\/\d+\/\d+)(?:\/\d+)?$/.exec(step)?.[1] ?? step;
}
