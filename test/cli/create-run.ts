import type { Figures, RunOverview } from "../../src/host.ts";

const usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const own: Figures = { turns: 0, toolCalls: 0, usage, cost: 0 };

/** Creates a run for tests of views. Fields that are not given are as after its creation at time 0. */
export function createRun(given: Partial<RunOverview>): RunOverview {
  const id = given.id ?? "t-1";
  return {
    id,
    rootId: "root",
    parentId: null,
    parentStep: null,
    depth: 0,
    agent: "main",
    task: "a task",
    label: null,
    dependsOn: [],
    model: "scripted:test",
    status: "queued",
    activity: null,
    openSteps: 0,
    createdAt: 0,
    startedAt: null,
    endedAt: null,
    attempts: 1,
    spentMs: 0,
    attemptStartedAt: null,
    approval: null,
    result: null,
    lastSeq: 1,
    lastEventAt: 0,
    own,
    runs: 1,
    ...own,
    ...given,
  };
}
