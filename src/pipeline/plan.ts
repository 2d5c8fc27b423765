import type { JsonObject } from "../source/json.ts";
import { listAgents } from "./agent-list.ts";
import type { AgentConfig, EntryFinding } from "./entry.ts";
import { isRootEvent, rootEvents } from "./event/event-name.ts";

/** The agents of one event, in the order they run. */
export interface PlannedEvent {
  event: string;
  /** Whether the pipeline itself dispatches it; any other waits for an agent to emit it. */
  isRoot: boolean;
  agents: AgentConfig[];
}

/** Which agents run on which event, as far as the prompt file says; agents can change it. */
export interface PipelinePlan {
  /** Root events first, in the order of a run, those without agents too; then the others in the order of the entries. */
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
