/** Names a call of any run of the turn. */
export function callId(runId: string, id: string): string {
  return `${runId}/${id}`;
}

/** Returns the call of the step that requested a run. A call that requests several runs has a step for each below its own. */
export function callOfStep(step: string): string {
  return /^(.*tool\/\d+\/\d+)(?:\/\d+)?$/.exec(step)?.[1] ?? step;
}
