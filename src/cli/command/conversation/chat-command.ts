// Commands that hold, list and change conversations.

import type { Command } from "commander";
import { addGrantOptions, type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { hasScreen } from "../../terminal/has-screen.ts";
import { separateContinue } from "../../run/continue-run.ts";

const examples = `
Examples:
  cadre chat
  cadre chat code-reviewer --mode ask
  cadre chat --continue
  cadre chat --continue=7f3q01c
  cadre chat --plain`;

interface ChatOptions extends GrantOptions {
  continue?: string;
  plain?: boolean;
}

/** `cadre chat`. */
export function defineChat(command: Command, setExit: (code: number) => void): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => parseOptions(separateContinue(words));
  command
    .argument("[agent]", "the agent to talk to (default: main)")
    .option(
      "-c, --continue [run]",
      "continue the latest conversation, or with --continue=RUN the conversation of a run",
    )
    .option("--plain", "line by line, without redrawing the screen: for screen readers");
  addGrantOptions(command)
    .addHelpText("after", examples)
    .action(async (agent: string | undefined, options: ChatOptions) => {
      if (agent !== undefined && options.continue !== undefined) {
        throw new UsageError(
          "Expected an agent or --continue; got both. To continue with a text: cadre run --continue TEXT.",
        );
      }
      if (!process.stdin.isTTY || !process.stderr.isTTY) {
        throw new UsageError(
          "Expected a terminal for cadre chat. Use cadre run TASK and cadre run --continue TEXT without one.",
        );
      }
      const grants = toGrants(options);
      const request = { agent, continue: options.continue, options: grants };
      if (options.plain === true || !hasScreen(process.env, process.stdout)) {
        const { chatByLines } = await import("../../chat/chat-by-lines.ts");
        setExit(await chatByLines(request));
      } else {
        const { chatOnScreen } = await import("../../chat/chat-on-screen.ts");
        setExit(await chatOnScreen(request));
      }
    });
}
