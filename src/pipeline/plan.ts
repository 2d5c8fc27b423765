import type { JsonObject } from "../source/json.ts";
import { listAgents } from "./prompt-file/agent-list.ts";
import type { AgentConfig, EntryFinding } from "./prompt-file/entry.ts";
import { isRootEvent, rootEvents } from "./event/event-name.ts";

/** The agents of one event, in the order they run. */
export interface PlannedEvent {
  event: string;
  /** Whether the pipeline itself dispatches it. Agents emit other events. */
  isRoot: boolean;
  agents: AgentConfig[];
}

/** The agents of each event according to the prompt file. Agents can change them at run time. */
export interface PipelinePlan {
  /** All root events first, in the order of a run; then the other events in the order of the entries. */
  events: PlannedEvent[];
  /** Entries with `enabled: false`. */
  disabled: AgentConfig[];
  findings: EntryFinding[];
}

/** Plans the pipeline of a prompt file's parameters. */
export function planPipeline(params: JsonObject): PipelinePlan {
  const { agents, findings } = listAgents(params);
  const configs = agents.map(({ config }) => config);
  const enabled = configs.filter((config) => config.enabled);
  const disabled = configs.filter((config) => !config.enabled);
  const names = new Set<string>([...rootEvents, ...enabled.flatMap(({ on }) => on)]);
  const events = [...names].map((event) => ({
    event,
    isRoot: isRootEvent(event),
    agents: enabled.filter(({ on }) => on.includes(event)),
  }));
  return { events, disabled, findings };
}
