import { didYouMean } from "../../source/nearest.ts";
import { shorten } from "../../source/read-value.ts";
import { splitWords } from "../../source/shell/split-words.ts";
import { readText } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** The program in which an agent runs instead of Cadre's own loop. */
export interface RunnerCommand {
  command: string;
  args: readonly string[];
  /** The variables before the command. In their values, `$NAME` and `${NAME}` are variables of Cadre's environment. */
  environment: Readonly<Record<string, string>>;
}

/** The prefix of a runner that uses the Agent Client Protocol. */
const protocol = "acp:";
const assignment = /^([A-Za-z_]\w*)=([^]*)$/;

/** Parses `acp:NAME=value COMMAND args…`. Words are split and quoted as in a shell, but no shell is involved. */
export function parseRunner(text: string): RunnerCommand | { problem: string } {
  if (!text.startsWith(protocol)) {
    const kind = /^[\w-]+:/.exec(text)?.[0];
    const hint = kind === undefined ? "" : didYouMean(kind, [protocol]);
    return { problem: `it does not start with \`${protocol}\`.${hint}` };
  }
  const words = splitWords(text.slice(protocol.length));
  if (words === undefined) return { problem: "it contains an unclosed quote." };
  if (words.some((word) => /\p{Cc}/u.test(word))) {
    return { problem: "it contains a control character." };
  }
  const isAssignment = (word: string): boolean => assignment.test(word);
  const first = words.findIndex((word) => !isAssignment(word));
  const [command, ...args] = first < 0 ? [] : words.slice(first);
  if (command === undefined || command === "") {
    return { problem: `no command follows \`${protocol}\`.` };
  }
  const pairs = words.slice(0, first).map((word) => {
    const [, name = "", value = ""] = assignment.exec(word) ?? [];
    return [name, value];
  });
  return { command, args, environment: Object.fromEntries(pairs) };
}

/** Describes a runner for stored messages, without its arguments and variables, which may contain secrets. */
export function nameRunner(runner: string): string {
  const parsed = parseRunner(runner);
  return "problem" in parsed ? runner : `${protocol}${parsed.command}`;
}

/** Returns the runner of a definition. An invalid one is an error. */
export function readRunner(fields: Fields): string | undefined {
  const runner = readText(fields, "runner");
  if (runner === undefined) return undefined;
  const parsed = parseRunner(runner);
  if (!("problem" in parsed)) return runner;
  fields.report(["runner"], {
    severity: "error",
    code: "runner-invalid",
    message: `Expected \`runner\` to be \`acp:COMMAND args…\`; got \`${shorten(runner)}\`: ${parsed.problem}`,
    fix: "Write `runner: acp:` and the command of an agent that supports the Agent Client Protocol, such as `acp:gemini --acp`.",
  });
  return undefined;
}
