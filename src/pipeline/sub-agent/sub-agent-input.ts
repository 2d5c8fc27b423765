import { isRecord, type JsonObject } from "../../source/json.ts";
import type { SubAgentInput } from "../contract.ts";
import type { AgentConfig } from "../entry.ts";
import { isRootEvent, type RootEvent, rootEvents } from "../event/event-name.ts";
import { givenGlobs } from "../parameter.ts";
import type { PipelineState } from "../state.ts";

/** Where in a dispatch an agent stands. */
export interface Turn {
  event: string;
  /** The root event that `event` is, or that led to it. */
  phase: RootEvent;
  /** The agents of this dispatch, and which of them it is. */
  agents: readonly AgentConfig[];
  position: number;
}

/** Makes the input of one agent. */
export function buildInput(state: PipelineState, turn: Turn, config: AgentConfig): SubAgentInput {
  const { event, phase } = turn;
  // What is emitted on the way is about the same.
  const isEnd = phase === "end" || phase === "task::end";
  // A copy: what an agent does to its input must change nothing for others.
  return structuredClone({
    event,
    coder_prompt_dir: state.promptFolder,
    coder_params: giveParams(state.params),
    coder_prompt: state.prompts.join("\n\n"),
    coder_prompts: [...state.prompts],
    agent_config: config,
    sub_agents_prev: [...state.history],
    sub_agents_next: findNext(state.agents, turn),
    ...(isEnd && { coder_responses: [...state.responses] }),
    ...(state.task !== null && { coder_task: state.task }),
    ...(state.redos > 0 && { coder_redo_count: state.redos }),
  });
}

/** The parameters as agents see them. */
function giveParams(params: JsonObject): JsonObject {
  const given = new Map(Object.entries(params));
  given.delete("sub_agents");
  for (const name of givenGlobs) {
    const globs = given.get(name) ?? null;
    const isEmpty = globs === null || (isRecord(globs) && Object.keys(globs).length === 0);
    if (isEmpty) given.set(name, []);
  }
  return Object.fromEntries(given);
}

/** Those behind the agent in this dispatch, and those that wait for an event that can still come. */
function findNext(pending: readonly AgentConfig[], turn: Turn): AgentConfig[] {
  // A list that came in the middle of a dispatch has no part in it.
  const isRunning = pending === turn.agents;
  return pending.filter(
    ({ on }, index) =>
      (isRunning && index > turn.position && on.includes(turn.event)) ||
      on.some((event) => canStillCome(event, turn.phase)),
  );
}

/** Root events come once, in their order; any other event can always be emitted. */
function canStillCome(event: string, phase: RootEvent): boolean {
  return !isRootEvent(event) || rootEvents.indexOf(event) > rootEvents.indexOf(phase);
}
