import { basename } from "node:path";
import type { AgentCall } from "../../acp-runner/agent-update.ts";
import { plainLine } from "../../extension/plain-text.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";

const titleCharacters = 200;
/** The number of characters of a command that must appear in a title for the command to count as shown. */
const knownCharacters = 60;

/** Describes a runner's call on one line. Adds its command or files if the runner's title lacks them. */
export function titleOfCall({ title, name, kind, paths = [], input }: AgentCall): string {
  const text = [title, name, kind].find((one) => one !== undefined && one !== "") ?? "a tool";
  const command = plainLine(commandOf(input) ?? "", titleCharacters);
  if (!text.includes(command.slice(0, knownCharacters))) {
    return plainLine(`${text}: ${command}`, titleCharacters);
  }
  const isName = /^\w+$/.test(text) && text !== command;
  const files = paths.map((path) => basename(path)).join(", ");
  return isName && files !== "" ? plainLine(`${text} ${files}`, titleCharacters) : text;
}

/** Returns the command in a call's arguments. For a shell it is the script, because rules apply to scripts. */
export function commandOf(input: JsonValue | undefined): string | undefined {
  const given = isRecord(input) ? input : {};
  const command = commandFields.map((field) => given[field]).find((one) => one !== undefined);
  if (!Array.isArray(command)) return typeof command === "string" ? command : undefined;
  const words = command.map(String);
  const [shell = "", flag = "", script] = words;
  const isShell = /(?:^|\/)(?:ba|da|z)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && script !== undefined && words.length === 3 ? script : words.join(" ");
}

/** The argument names that agents use for commands. */
const commandFields = ["command", "cmd", "commandLine", "command_line", "shell_command", "argv"];

/** Returns the command that a call runs, whatever its kind; `undefined` when none is visible. */
export function commandOfCall({
  title = "",
  name = "",
  input,
  hasTerminal,
}: AgentCall): string | undefined {
  const command = commandOf(input);
  if (command !== undefined) return command;
  const quoted = /^\s*(?:`([^`]+)`|\$ (.+))\s*$/s.exec(title);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  const isShell = /^(?:bash|shell|terminal|exec(?:ute)?|run_?(?:shell_?)?command)$/i.test(name);
  return isShell || hasTerminal === true ? title : undefined;
}
