import { isRecord, type JsonObject } from "../../source/json.ts";
import type { SubAgentInput } from "./contract.ts";
import type { AgentConfig } from "../prompt-file/entry.ts";
import { isRootEvent, type RootEvent, rootEvents } from "../event/event-name.ts";
import { givenGlobs } from "../prompt-file/parameter.ts";
import type { PipelineState } from "./state.ts";

/** The position of an agent in a dispatch. */
export interface DispatchTurn {
  event: string;
  /** The root event that `event` is or was caused by. */
  phase: RootEvent;
  /** The agents of this dispatch, and the index of this one. */
  agents: readonly AgentConfig[];
  position: number;
}

/** Builds the input of one agent. */
export function buildInput(
  state: PipelineState,
  turn: DispatchTurn,
  config: AgentConfig,
): SubAgentInput {
  const { event, phase } = turn;
  // Events emitted during a phase get the same data as the phase.
  const isEnd = phase === "end" || phase === "task::end";
  // A copy, so that an agent's changes to its input do not affect others.
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

/** Returns the parameters for agents. */
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

/** Returns the agents after this one in the dispatch, and those with an event that can still come. */
function findNext(pending: readonly AgentConfig[], turn: DispatchTurn): AgentConfig[] {
  // A list that replaced the agents during a dispatch does not take part in it.
  const isRunning = pending === turn.agents;
  return pending.filter(
    ({ on }, index) =>
      (isRunning && index > turn.position && on.includes(turn.event)) ||
      on.some((event) => canStillCome(event, turn.phase)),
  );
}

/** Reports whether an event can still be dispatched. Each root event comes once, in order; other events can always be emitted. */
function canStillCome(event: string, phase: RootEvent): boolean {
  return !isRootEvent(event) || rootEvents.indexOf(event) > rootEvents.indexOf(phase);
}
