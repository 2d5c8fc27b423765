import type { ToolName } from "../run/tool-names.ts";
import { nearest } from "../source/nearest.ts";
import { shorten } from "./field-readers.ts";
import type { Finding } from "./fields.ts";
import { isServerName } from "./tool-name.ts";
import { knownToolNames, offeredTools } from "./tool-vocabulary.ts";

/** An author who wrote `tools:` did not mean to give more than one who wrote nothing would have got. */
export function emptyTools(key: string): Finding {
  const message = `\`${key}\` has no value, so the agent has no tools.`;
  const fix = `Write \`${key}: []\` to say so, or name some: \`${key}: Read, Grep\``;
  return { severity: "warning", code: "empty-field", message, fix };
}

/** Tools that change nothing and reach nobody. */
const reading: ReadonlySet<string> = new Set<ToolName>([
  "Read",
  "Grep",
  "Glob",
  "LS",
  "DirectoryTree",
  "Think",
  "Skill",
]);

/** A name that is in no vocabulary. What is suggested gives an agent no more than it has already by `granted`, besides reading. */
export function unknownTool(name: string, granted: ReadonlySet<string> = new Set()): Finding {
  const meant = nearest(name, knownToolNames);
  const offered = meant === null ? [] : (offeredTools(meant) ?? []);
  const isSafe = offered.length > 0 && offered.every((one) => reading.has(one) || granted.has(one));
  const became = isServerName(name)
    ? "it stands for the tools of an MCP server of that name, if there is one"
    : "it was left out";
  const message = `\`${shorten(name)}\` is not a tool that is known; ${became}.${isSafe ? hint(meant) : ""}`;
  const fix = isSafe
    ? `Write \`${meant}\`, or remove it.`
    : "Correct the name, or remove it; all tools of an MCP server are `mcp__SERVER__*`.";
  return { severity: "warning", code: "unknown-tool", message, fix };
}

/** What an edit needs, where a list does not have it. */
export function readImplied(key: string): Finding {
  const message = `\`${key}\` has Edit without Read; the agent may read what it may edit, because an edit needs that.`;
  const fix = `Nothing has to be done; write \`Read\` in \`${key}\` to say so.`;
  return { severity: "info", code: "read-implied", message, fix };
}

/** What is in no vocabulary, in a list of what to take away: a slip of the pen, or no name at all, must not leave the tool. */
export function unknownDenied(name: string): Finding {
  const meant = nearest(name, knownToolNames);
  const isSlip = meant !== null && (offeredTools(meant)?.length ?? 0) > 0;
  const isDoubtful = isSlip || !/^[\w.:/-]+$/.test(name);
  const message = `\`${shorten(name)}\` is not a tool that is known; ${isServerName(name) ? "only the tools of an MCP server of that name are taken away" : "nothing is taken away by it"}.${hint(meant)}`;
  const fix = isSlip ? `Write \`${meant}\`.` : "Correct the name, or remove it.";
  return { severity: isDoubtful ? "error" : "warning", code: "unknown-tool", message, fix };
}

/** A map where a list is expected: what it was meant to take away could be lost. */
export function notAList(key: string, got: string, names: readonly string[]): Finding {
  const message = `Expected \`${key}\` to be a list of names, or one text with commas; got ${got}.`;
  const list = JSON.stringify(names);
  const fix =
    names.length > 0 && list.length < 500
      ? `Write \`${key}: ${list}\`, with the tools that were meant.`
      : `Write a list of names behind \`${key}\`, such as \`${key}: [Read, Grep]\`, or remove the key.`;
  return { severity: "error", code: "wrong-type", message, fix };
}

/** A list of what an agent gets that says what it does not get. */
export function negatedTool(key: string, name: string): Finding {
  const message = `\`${key}\` lists what the agent has; \`${shorten(name)}\` says what it has not, so the agent would have nothing.`;
  const fix = `Write what to take away in \`disallowedTools: [Edit, Write]\`, and remove \`${key}\` for all the others.`;
  return { severity: "error", code: "tools-negated", message, fix };
}

/** A list that nobody wrote by hand. */
export function tooManyTools(key: string, count: number, most: number): Finding {
  const message = `Expected at most ${most} names in \`${key}\`; got ${count}. None of them was read.`;
  const fix = "Name each tool once; `mcp__SERVER__*` is all tools of a server.";
  return { severity: "error", code: "too-many-tools", message, fix };
}

/** Tools of other programs that nothing here corresponds to. */
export function notOffered(names: readonly string[]): Finding {
  const all = [...new Set(names)].map((name) => `\`${shorten(name)}\``);
  const isOne = all.length === 1;
  const message = `${listWords(all)} ${isOne ? "is a tool" : "are tools"} of other programs that ${isOne ? "is" : "are"} not offered here; ${isOne ? "it was" : "they were"} left out.`;
  const fix = "Nothing has to be done, unless the instructions rely on it.";
  return { severity: "info", code: "tool-not-offered", message, fix };
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** A limit such as `Bash()`, which would match nothing. */
export function invalidPattern(name: string, pattern: string): Finding {
  const message = `\`${name}(${shorten(pattern)})\` is limited to something that cannot be understood; it was left out.`;
  const fix = `Write a pattern such as \`Bash(git:*)\`, \`Read(src/**)\` or \`WebFetch(domain:example.com)\``;
  return { severity: "error", code: "tool-pattern", message, fix };
}

/** A list that leaves the agent with nothing; one of things that are no names was not meant like that. */
export function nothingResolves(key: string, isDoubtful: boolean): Finding {
  const message = `None of the names in \`${key}\` is a tool that is offered here, so the agent has none.`;
  const fix = `Name tools such as \`${key}: Read, Grep, Glob\`, or write \`${key}: []\` for an agent without tools.`;
  return { severity: isDoubtful ? "error" : "warning", code: "no-tools", message, fix };
}

function hint(meant: string | null): string {
  return meant === null ? "" : ` Did you mean \`${meant}\`?`;
}
