import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Hooks } from "../../engine/hook/hooks.ts";
import { createMatcher, type HookCommands, type HookGroup } from "../../run/hook/hook-commands.ts";
import { createCommandHooks } from "./command-hooks.ts";
import type { HookCommandContext } from "./run-hook-command.ts";

/** Creates the hooks that an agent's definition defines for its own runs. */
export function createAgentHooks(
  { name, hooks: commands }: Pick<AgentDefinition, "name" | "hooks">,
  context: HookCommandContext,
): Hooks[] {
  if (commands === undefined) return [];
  return [createCommandHooks(atEveryEnd(commands, name), `the hooks of agent ${name}`, context)];
}

/** In a definition, `Stop` and `SubagentStop` both mean the end of its agent, whether or not another agent started it. */
function atEveryEnd(commands: HookCommands, agent: string): HookCommands {
  const { Stop: stop = [], SubagentStop: subagentStop = [] } = commands;
  const own = subagentStop.filter((group) => createMatcher(group)(agent));
  const ends = [...stop, ...own].map(({ hooks }): HookGroup => ({ hooks }));
  return ends.length === 0 ? commands : { ...commands, Stop: ends, SubagentStop: ends };
}
