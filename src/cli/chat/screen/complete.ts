import type { AutocompleteItem, AutocompleteProvider, SlashCommand } from "@earendil-works/pi-tui";
import { CombinedAutocompleteProvider, fuzzyFilter } from "@earendil-works/pi-tui";
import type { ArgumentValue, ChatCommand } from "../dialog/chat-command.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import type { ProjectCommand } from "../../../host.ts";

/** The maximum number of files and agents that are offered. */
const most = 20;

/** The sources of proposals. */
export interface CompletionSources {
  folder: string;
  commands: readonly ChatCommand[];
  /** Lists the project's commands. */
  ofProject: () => Promise<readonly ProjectCommand[]>;
  /** Lists the names of the agents and the paths of the project's files. */
  agents: () => Promise<readonly string[]>;
  files: () => Promise<readonly string[]>;
}

/** Proposes commands after `/`, and agents and files after `@`. */
export function createCompletion(sources: CompletionSources): AutocompleteProvider {
  const { folder, commands, ofProject, agents, files } = sources;
  const slash = commands.map(toSlashCommand);
  let combined = new CombinedAutocompleteProvider(slash, folder);
  /** Reads the project's commands again. Proposals do not wait for it, because the user goes on typing. */
  const refresh = (): void => {
    const read = async (): Promise<void> => {
      const more = (await ofProject()).map(toProjectCommand);
      combined = new CombinedAutocompleteProvider([...slash, ...more], folder);
    };
    // /help reports problems of the files, as does a command when it is typed.
    read().catch(() => undefined);
  };
  refresh();
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, line, column, options) {
      const before = (lines[line] ?? "").slice(0, column);
      if (before === "/") refresh();
      const prefix = /(?:^|\s)(@\S*)$/u.exec(before)?.[1];
      if (prefix === undefined) return await combined.getSuggestions(lines, line, column, options);
      const names = [...(await agents()), ...(await files())];
      const items = toMentions(names, prefix.slice(1));
      return items.length === 0 ? null : { items, prefix };
    },
    applyCompletion(...given) {
      const [lines, cursorLine, cursorCol, , prefix] = given;
      // The input may have changed since the proposals were made.
      const isCurrent = (lines[cursorLine] ?? "").slice(0, cursorCol).endsWith(prefix);
      return isCurrent ? combined.applyCompletion(...given) : { lines, cursorLine, cursorCol };
    },
  };
}

function toSlashCommand({ name, summary, argument, complete }: ChatCommand): SlashCommand {
  const command: SlashCommand = { name, description: summary };
  if (argument !== undefined) command.argumentHint = argument;
  if (complete !== undefined) {
    command.getArgumentCompletions = async (prefix) => {
      const values = await complete();
      const nameOf = ({ value, description = "" }: ArgumentValue): string =>
        `${value} ${description}`;
      return fuzzyFilter([...values], prefix, nameOf)
        .slice(0, most)
        .map((one) => Object.assign({ label: one.value }, one));
    };
  }
  return command;
}

function toProjectCommand({ name, description, argumentHint = "" }: ProjectCommand): SlashCommand {
  return {
    name,
    description: cleanLine(description),
    ...(argumentHint !== "" && { argumentHint: cleanLine(argumentHint) }),
  };
}

function toMentions(names: readonly string[], prefix: string): AutocompleteItem[] {
  return fuzzyFilter([...names], prefix, (name) => name)
    .slice(0, most)
    .map((name) => ({ value: `@${name}`, label: name }));
}
