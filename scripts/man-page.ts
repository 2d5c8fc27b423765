import type { Command } from "commander";
import { createProgram } from "../src/cli/program.ts";
import { readVersion } from "../src/version.ts";

/** Returns the manual page `cadre(1)`: every command with its arguments and options. */
export async function createManPage(): Promise<string> {
  const names = (await createProgram([], () => undefined)).commands.map((one) => one.name());
  const program = await createProgram(names, () => undefined);
  const lines = [
    `.TH CADRE 1 "" "cadre ${readVersion()}"`,
    ".SH NAME",
    "cadre \\- delegate work to sub\\-agents, durably",
    ".SH SYNOPSIS",
    ".B cadre",
    ".I command",
    "[\\fIoptions\\fR] [\\fIarguments\\fR]",
    ".SH COMMANDS",
    ...visible(program).flatMap((command) => describeCommand(command)),
    ".SH SEE ALSO",
    "The pages in the folder docs of the package; the first is docs/command.md.",
  ];
  return `${lines.join("\n")}\n`;
}

function describeCommand(command: Command, parent = "cadre"): string[] {
  const help = command.createHelp();
  const name = `${parent} ${command.name()}`;
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help")
    .flatMap((option) => [
      ".RS",
      ".TP",
      `.B ${escape(help.optionTerm(option))}`,
      escape(option.description),
      ".RE",
    ]);
  const expected = command.registeredArguments.flatMap((argument) => [
    ".RS",
    ".TP",
    `.I ${escape(argument.name())}`,
    escape(argument.description),
    ".RE",
  ]);
  const children = visible(command).flatMap((child) => describeCommand(child, name));
  return [
    ".TP",
    `.B ${escape(`${parent} ${command.name()} ${command.usage()}`)}`,
    escape(command.description()),
    ...expected,
    ...options,
    ...children,
  ];
}

function visible(command: Command): readonly Command[] {
  const commands = command.createHelp().visibleCommands(command);
  return commands.filter((child) => child.name() !== "help");
}

function toGlyph(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** Escapes text so that troff prints it unchanged, even a line that begins like a request. */
function escape(text: string): string {
  const written = text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[^ -~]/gu, toGlyph);
  return /^[.']/.test(written) ? `\\&${written}` : written;
}
