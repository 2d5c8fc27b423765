import { readFileSync } from "node:fs";
import { Argument, type Command } from "commander";
import { cleanText } from "../terminal/clean-text.ts";
import { writeLine } from "../terminal/output.ts";

/** The script of each shell; it passes the words of a command line to `cadre complete`. */
const scripts: Readonly<Record<string, string>> = {
  bash: "cadre.bash",
  zsh: "cadre.zsh",
  fish: "cadre.fish",
  powershell: "cadre.ps1",
};

const examples = `
Examples:
  cadre completion bash > cadre.bash

Add the line of your shell to its start file:
  ~/.bashrc                   source <(cadre completion bash)
  ~/.zshrc, after compinit    source <(cadre completion zsh)
  ~/.config/fish/config.fish  cadre completion fish | source
  $PROFILE of PowerShell      cadre completion powershell | Out-String | Invoke-Expression`;

/** `cadre completion`. */
export function defineCompletion(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scripts)))
    .addHelpText("after", examples)
    .action((shell: string) => {
      const script = new URL(`../completion/script/${scripts[shell]}`, import.meta.url);
      writeLine(readFileSync(script, "utf8").trimEnd());
    });
}

/**
 * Defines `cadre complete`, which the scripts call with the words of a command line up to the cursor. It writes a line for each
 * candidate: its value, a tab, its description. It then writes `:files`, `:folders` or `:none` for the paths that the shell adds.
 */
export function defineComplete(command: Command): void {
  command.argument("[words...]", "the words after `cadre`").action(async (words: string[]) => {
    const { completeWords } = await import("../completion/complete-words.ts");
    const { candidates, paths } = await completeWords(command.parent ?? command, words);
    for (const { value, description } of candidates) {
      writeLine(`${cleanText(value)}\t${cleanText(description)}`);
    }
    writeLine(`:${paths}`);
  });
}
