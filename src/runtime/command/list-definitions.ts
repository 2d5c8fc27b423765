import type { ProjectCommandSources } from "./create-project-commands.ts";
import { commandArguments } from "../option/cadre-arguments.ts";
import { checkArguments } from "../option/check-arguments.ts";
import type { Cadre } from "../cadre.ts";
import type { ProjectCommands } from "../project-commands.ts";

/** Lists agents, recipes and commands. The code of commands is loaded on use. */
export function listDefinitions(
  sources: ProjectCommandSources,
): Pick<Cadre, "agents" | "commands"> {
  const load = async (): Promise<ProjectCommands> => {
    const { createProjectCommands } = await import("./create-project-commands.ts");
    return createProjectCommands(sources);
  };
  const commands: ProjectCommands = {
    list: async (options) => await (await load()).list(options),
    fill: async (name, argument) => await (await load()).fill(name, argument),
  };
  return {
    agents: () => sources.catalog.discover(),
    commands: checkArguments("cadre.commands", commands, commandArguments),
  };
}
