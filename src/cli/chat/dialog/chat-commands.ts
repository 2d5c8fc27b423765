import type { ChatCommand } from "./chat-command.ts";
import { conversationCommands } from "./conversation-commands.ts";
import { projectCommands } from "./project-commands.ts";
import { createTurnCommands } from "./turn-commands.ts";
import type { Cadre } from "../../../host.ts";

/** Creates the commands; `cadre` names the agents. */
export function createChatCommands(cadre: Pick<Cadre, "agents">): ChatCommand[] {
  const commands: ChatCommand[] = [
    {
      name: "help",
      summary: "the commands and keys",
      run: ({ note }) => note(describeHelp(commands)),
    },
    ...createTurnCommands(cadre),
    ...conversationCommands,
    ...projectCommands,
    { name: "quit", summary: "end the command", run: ({ quit }) => quit() },
  ];
  return commands;
}

const keys = `Enter sends · Shift-Enter or Ctrl-J begins a line · ↑ and ↓ go through what you typed
@ names a file or an agent; @picture.png sends the image
Esc interrupts the turn · Ctrl-T selects an agent of the tree · Ctrl-O opens tool calls and thoughts
In the tree: Enter opens the conversation of an agent, x cancels it, r retries it, b gives it more time or budget
Ctrl-C clears the input, or interrupts · Ctrl-D ends the command`;

function describeHelp(commands: readonly ChatCommand[]): string {
  const lines = commands.map(({ name, argument = "", summary }) =>
    `/${name} ${argument}`.padEnd(16).concat(summary),
  );
  return [...lines, "", keys].join("\n");
}
