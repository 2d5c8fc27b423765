import type { ChatCommand, ChatCommandContext } from "./chat-command.ts";
import { trustEnables } from "../../arguments/trust-text.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { listHookCommands, showHookCommand } from "../../../host.ts";

/** The commands about the project. */
export const projectCommands: readonly ChatCommand[] = [
  { name: "hooks", summary: "list the commands that watch or stop what agents do", run: listHooks },
  {
    name: "trust",
    summary: "show what trust in this project allows, or trust it",
    argument: "[yes]",
    run: trustProject,
  },
];

function listHooks({ cadre, note }: ChatCommandContext): void {
  const found = listHookCommands(cadre.configuration.config.hooks);
  const lines = found.map(({ event, matcher, command }) =>
    cleanLine(`${event} ${matcher ?? "*"}: ${showHookCommand(command)}`),
  );
  note(lines.length === 0 ? "There are no hooks (docs/hooks.md)." : lines.join("\n"));
}

function trustProject({ conversation, note, trust }: ChatCommandContext, answer: string): void {
  if (answer === "")
    return note(
      `In a trusted project:\n${trustEnables.map((one) => `- ${one}`).join("\n")}\n/trust yes trusts this project, also after changes to its files.`,
    );
  if (answer !== "yes")
    return note(`Expected /trust or /trust yes; got ${JSON.stringify(answer)}.`);
  if (conversation.active !== undefined) return note("Expected /trust between two turns.");
  trust();
}
