import type { ChatCommand } from "./chat-command.ts";
import { createConversationCommands } from "./conversation-commands.ts";
import { projectCommands } from "./project-commands.ts";
import { createTurnCommands } from "./turn-commands.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { type Cadre, formatDiagnostic } from "../../../host.ts";

/** Creates the commands; `cadre` lists the values of their arguments. */
export function createChatCommands(
  cadre: Pick<Cadre, "agents" | "configuration" | "conversations">,
): ChatCommand[] {
  const commands: ChatCommand[] = [
    {
      name: "help",
      summary: "the commands and keys",
      run: async ({ cadre: opened, note }) => note(await describeHelp(opened, commands)),
    },
    ...createTurnCommands(cadre),
    ...createConversationCommands(cadre),
    ...projectCommands,
    { name: "quit", summary: "end the command", run: ({ quit }) => quit() },
    { name: "exit", summary: "the same as /quit", run: ({ quit }) => quit() },
  ];
  return commands;
}

const keys = `Enter sends · Shift-Enter or Ctrl-J begins a line · ↑ and ↓ go through what you typed
@ names a file or an agent; @picture.png sends the image
Esc interrupts the turn · PageUp and PageDown scroll · Ctrl-O opens tool calls and thoughts · Ctrl-T selects an agent of the tree
In the tree: ↑ and ↓ select, Enter opens the conversation of an agent, x cancels it, r retries it, b gives it more time or budget
Ctrl-C clears the input, or interrupts · Ctrl-D ends the command`;

/** Returns the names of commands, without slashes. */
export function namesOf(commands: readonly ChatCommand[]): string[] {
  return commands.map(({ name }) => name);
}

async function describeHelp(
  cadre: Pick<Cadre, "commands">,
  commands: readonly ChatCommand[],
): Promise<string> {
  const own = commands.map(({ name, argument, summary }) =>
    describeCommand(name, argument, summary),
  );
  const found = await cadre.commands.list({ taken: namesOf(commands) });
  const ofProject = found.commands.map(({ name, argumentHint, description }) =>
    describeCommand(name, argumentHint, description),
  );
  const problems = found.diagnostics.filter(({ severity }) => severity !== "info");
  const lines = problems.map((problem) => cleanLine(formatDiagnostic(problem)));
  const paragraphs = [own, ofProject, lines].filter((one) => one.length > 0);
  return [...paragraphs.map((one) => one.join("\n")), keys].join("\n\n");
}

function describeCommand(name: string, argument: string | undefined, summary: string): string {
  const typed = cleanLine(`/${name} ${argument ?? ""}`).trimEnd();
  return `${typed.padEnd(14)}  ${cleanLine(summary)}`;
}
