import type { ToolName } from "../../run/tool-names.ts";
import { nearest } from "../../source/nearest.ts";
import { shorten } from "../../source/read-value.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { isServerName } from "./tool-name.ts";
import { knownToolNames, offeredTools } from "./tool-vocabulary.ts";

/**
 * Returns the finding for an empty `tools:`, which grants no tools: its author cannot have meant to grant more than without the
 * key.
 */
export function emptyTools(key: string): Finding {
  const message = `\`${key}\` has no value, so the agent has no tools.`;
  const fix = `Write \`${key}: []\` to say so, or name some: \`${key}: Read, Grep\``;
  return { severity: "warning", code: "empty-field", message, fix };
}

/** Tools that change nothing and access nothing outside. */
const reading: ReadonlySet<string> = new Set<ToolName>([
  "Read",
  "Grep",
  "Glob",
  "LS",
  "DirectoryTree",
  "Think",
  "TodoWrite",
  "AskUser",
  "Skill",
]);

/** Returns the finding for an unknown name. Its suggestion grants nothing beyond `granted`, except for reading. */
export function unknownTool(name: string, granted: ReadonlySet<string> = new Set()): Finding {
  const meant = nearest(name, knownToolNames);
  const offered = meant === null ? [] : (offeredTools(meant) ?? []);
  const isSafe = offered.length > 0 && offered.every((one) => reading.has(one) || granted.has(one));
  const became = isServerName(name)
    ? "it stands for the tools of an MCP server of that name, if there is one, and for a tool of that name only in a program that passes it to createCadre"
    : "it was left out";
  const message = `\`${shorten(name)}\` is not a known tool; ${became}.${isSafe ? hint(meant) : ""}`;
  const fix = isSafe
    ? `Write \`${meant}\`, or remove it.`
    : "Correct the name, or remove it; all tools of an MCP server are `mcp__SERVER__*`.";
  return { severity: "warning", code: "unknown-tool", message, fix };
}

/** Returns the finding for a list with `Edit` and without `Read`, which an edit needs. */
export function readImplied(key: string): Finding {
  const message = `\`${key}\` has Edit without Read; the agent may also read the files that it may edit, because an edit needs it.`;
  const fix = `No action is needed; write \`Read\` in \`${key}\` to say so.`;
  return { severity: "info", code: "read-implied", message, fix };
}

/**
 * Returns the finding for an unknown name in a list of denied tools. A typo, or text that cannot be a name, is an error, because
 * the tool must not remain.
 */
export function unknownDenied(name: string, ownTools: readonly string[]): Finding {
  const meant = nearest(name, [...knownToolNames, ...ownTools]);
  const isTool = (one: string): boolean =>
    ownTools.includes(one) || (offeredTools(one)?.length ?? 0) > 0;
  const isSlip = meant !== null && isTool(meant);
  const isDoubtful = isSlip || !/^[\w.:/-]+$/.test(name);
  const message = `\`${shorten(name)}\` is not a known tool; ${isServerName(name) ? "it denies only the tools of an MCP server of that name, and a tool of that name only in a program that passes it to createCadre" : "it denies nothing"}.${hint(meant)}`;
  const fix = isSlip ? `Write \`${meant}\`.` : "Correct the name, or remove it.";
  return { severity: isDoubtful ? "error" : "warning", code: "unknown-tool", message, fix };
}

/** Returns the finding for a map in place of a list. It is an error, because it could lose a restriction. */
export function notAList(key: string, got: string, names: readonly string[]): Finding {
  const message = `Expected \`${key}\` to be a list of names, or one text with commas; got ${got}.`;
  const list = JSON.stringify(names);
  const fix =
    names.length > 0 && list.length < 500
      ? `Write \`${key}: ${list}\`, with the intended tools.`
      : `Write a list of names after \`${key}\`, such as \`${key}: [Read, Grep]\`, or remove the key.`;
  return { severity: "error", code: "wrong-type", message, fix };
}

/** Returns the finding for a list of granted tools that names denied ones. */
export function negatedTool(key: string, name: string): Finding {
  const message = `\`${key}\` lists the tools that the agent has; \`${shorten(name)}\` names tools that it does not have, so it would have none.`;
  const fix = `Write the denied tools in \`disallowedTools: [Edit, Write]\`, and remove \`${key}\`: the agent then has all others.`;
  return { severity: "error", code: "tools-negated", message, fix };
}

/** Returns the finding for a list that is too long. */
export function tooManyTools(key: string, count: number, most: number): Finding {
  const message = `Expected at most ${most} names in \`${key}\`; got ${count}. None was read.`;
  const fix = "Name each tool once; `mcp__SERVER__*` is all tools of a server.";
  return { severity: "error", code: "too-many-tools", message, fix };
}

/** Returns the finding for tools of other programs that Cadre does not offer. */
export function notOffered(names: readonly string[]): Finding {
  const all = [...new Set(names)].map((name) => `\`${shorten(name)}\``);
  const isOne = all.length === 1;
  const message = `${listWords(all)} ${isOne ? "is a tool" : "are tools"} of other programs that ${isOne ? "is" : "are"} not offered here; ${isOne ? "it was" : "they were"} left out.`;
  const fix = "No action is needed unless the instructions rely on it.";
  return { severity: "info", code: "tool-not-offered", message, fix };
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Returns the finding for a limit that matches nothing, such as `Bash()`. */
export function invalidToolPattern(name: string, pattern: string): Finding {
  const message = `\`${name}(${shorten(pattern)})\` has an invalid limit; it was left out.`;
  const fix = `Write a pattern such as \`Bash(git:*)\`, \`Read(src/**)\` or \`WebFetch(domain:example.com)\``;
  return { severity: "error", code: "tool-pattern", message, fix };
}

/** Returns the finding for a list that grants nothing. It is an error if an entry cannot be a name. */
export function nothingResolves(key: string, isDoubtful: boolean): Finding {
  const message = `None of the names in \`${key}\` is a tool that is offered here, so the agent has none.`;
  const fix = `Name tools such as \`${key}: Read, Grep, Glob\`, or write \`${key}: []\` for an agent without tools.`;
  return { severity: isDoubtful ? "error" : "warning", code: "no-tools", message, fix };
}

function hint(meant: string | null): string {
  return meant === null ? "" : ` Did you mean \`${meant}\`?`;
}
