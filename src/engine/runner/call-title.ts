import { basename } from "node:path";
import type { AgentCall } from "../../acp-runner/agent-update.ts";
import { plainLine } from "../../extension/plain-text.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";

const titleCharacters = 200;
/** So much of a command is enough to know that a title has it. */
const knownCharacters = 60;

/** One line for people about a call of a runner, with its command or its files where the runner's own title leaves them out. */
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

/** The command in the arguments of a call; of a shell, what it is given, which is what rules are about. */
export function commandOf(input: JsonValue | undefined): string | undefined {
  const given = isRecord(input) ? input : {};
  const command = commandFields.map((field) => given[field]).find((one) => one !== undefined);
  if (!Array.isArray(command)) return typeof command === "string" ? command : undefined;
  const words = command.map(String);
  const [shell = "", flag = "", script] = words;
  const isShell = /(?:^|\/)(?:ba|da|z)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && script !== undefined && words.length === 3 ? script : words.join(" ");
}

/** Where agents have the command of a call. */
const commandFields = ["command", "cmd", "commandLine", "command_line", "shell_command", "argv"];

/** The command that a call runs, whatever kind it says it is; `undefined` when nothing shows that it runs one. */
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
