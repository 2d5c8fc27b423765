import { UsageError } from "../../arguments/usage-error.ts";
import type { Cadre, FilledCommand, RunHandle } from "../../../host.ts";

/**
 * Fills the project command that a user typed; returns `undefined` for any other text. Text that begins with a slash and names no
 * command may be a path, as in `/etc/hosts is wrong`. `advise` names the commands.
 *
 * @throws UsageError for a command that does not exist, and the errors of `cadre.commands.fill`.
 */
export async function fillTypedCommand(
  { commands }: Pick<Cadre, "commands">,
  text: string,
  advise: (name: string) => Promise<string>,
): Promise<FilledCommand | undefined> {
  const { readCommandLine } = await import("../../../host.ts");
  const line = readCommandLine(text);
  if (line === undefined) return undefined;
  const filled = await commands.fill(line.name, line.argument);
  if (filled !== undefined || /[/.]/.test(line.name)) return filled;
  throw new UsageError(`There is no /${line.name}. ${await advise(line.name)}`);
}

/**
 * Returns the agent that the turn after a command names, for a command whose turn has its own agent or model. A recipe cannot be named
 * again without its values, so `main` follows the turn of another agent. After the turn of another model, no agent is named.
 */
export async function agentAfter(
  cadre: Pick<Cadre, "agents">,
  { agent, model }: FilledCommand,
  { chosen, last }: { chosen: string | undefined; last: RunHandle | undefined },
): Promise<string | undefined> {
  if (chosen !== undefined || (agent === undefined && model === undefined)) return chosen;
  const before = (await last?.state())?.agent ?? "main";
  const { agents } = await cadre.agents();
  const isRecipe = agents.some(({ name, source }) => name === before && source.format === "recipe");
  if (!isRecipe) return before;
  return agent === undefined ? undefined : "main";
}
