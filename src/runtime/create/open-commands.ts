import type { ProjectCommandPlace } from "../command/create-project-commands.ts";
import { commandArguments } from "../option/cadre-arguments.ts";
import { checkArguments } from "../option/check-arguments.ts";
import type { ProjectCommands } from "../project-commands.ts";

/** Returns the commands of a project. Their code is loaded on use. */
export function openCommands(place: ProjectCommandPlace): ProjectCommands {
  const load = async (): Promise<ProjectCommands> => {
    const { createProjectCommands } = await import("../command/create-project-commands.ts");
    return createProjectCommands(place);
  };
  const commands: ProjectCommands = {
    list: async (options) => await (await load()).list(options),
    fill: async (name, argument) => await (await load()).fill(name, argument),
  };
  return checkArguments("cadre.commands", commands, commandArguments);
}
