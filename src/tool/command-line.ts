/** A command line as far as permissions need to know it. */
export interface CommandLine {
  /** The simple commands, as written. */
  commands: readonly string[];
  /**
   * Whether `commands` are all that it runs and they touch no file by redirection: no substitution, subshell, block,
   * here-document or open quote.
   */
  isPlain: boolean;
}

/** Redirections that can do no harm. */
const harmlessRedirection = /^(?:[12]?>&[12]|[12]?>>?\s*\/dev\/null|<\s*\/dev\/null)(?=[\s;&|]|$)/;
const operator = /^(?:&&|\|\||\|&|;;|[;&|\n])/;
/** Words that begin a compound command: what follows is not a simple command of its own. */
const keyword =
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc|!|\{|\[\[)(?=\s|$)/;

/** Takes a command line of a POSIX shell or bash apart. Whatever it does not understand is not plain. */
export function parseCommandLine(line: string): CommandLine {
  const scan: Scan = { line, at: 0, current: "", commands: [], isPlain: true, endsWithBlank: true };
  while (scan.at < line.length) step(scan);
  finishCommand(scan);
  return { commands: scan.commands, isPlain: scan.isPlain };
}

interface Scan {
  line: string;
  at: number;
  current: string;
  commands: string[];
  isPlain: boolean;
  /** Whether the last character ended a word, so that a digit begins a redirection and `#` a comment. */
  endsWithBlank: boolean;
}

function step(scan: Scan): void {
  const rest = scan.line.slice(scan.at, scan.at + 200);
  const character = rest.charAt(0);
  if (character === "\\") {
    // A line continuation would join what is matched apart.
    if (rest.charAt(1) === "\n" || rest.length === 1) scan.isPlain = false;
    return take(scan, 2);
  }
  if (character === "'") return takeQuoted(scan, "'");
  if (character === '"') return takeQuoted(scan, '"');
  const harmless = redirectionAt(scan, rest);
  if (harmless !== undefined) return take(scan, harmless.length);
  const separator = operator.exec(rest)?.[0];
  if (separator !== undefined && !rest.startsWith("&>")) {
    finishCommand(scan);
    scan.at += separator.length;
    return;
  }
  // A quote in a comment would hide the lines after it.
  if (character === "#" && scan.endsWithBlank) scan.isPlain = false;
  if (/^[<>(){}`\r]/.test(character) || rest.startsWith("&>") || isExpansion(rest))
    scan.isPlain = false;
  take(scan, 1);
}

function redirectionAt(scan: Scan, rest: string): string | undefined {
  const found = harmlessRedirection.exec(rest)?.[0];
  if (found === undefined || (/^\d/.test(found) && !scan.endsWithBlank)) return undefined;
  return found;
}

/** `$NAME` and the special parameters only give text; every other `$` can run something. */
function isExpansion(rest: string): boolean {
  return rest.startsWith("$") && /^\$[^\w\s?$!#*@-]/.test(rest);
}

function takeQuoted(scan: Scan, quote: string): void {
  let end = scan.at + 1;
  while (end < scan.line.length && scan.line.charAt(end) !== quote) {
    const rest = scan.line.slice(end, end + 3);
    if (quote === '"' && (rest.startsWith("`") || (isExpansion(rest) && !/^\$["\s]/.test(rest))))
      scan.isPlain = false;
    end += quote === '"' && rest.startsWith("\\") ? 2 : 1;
  }
  if (end >= scan.line.length) scan.isPlain = false;
  take(scan, end + 1 - scan.at);
}

function take(scan: Scan, length: number): void {
  const text = scan.line.slice(scan.at, scan.at + length);
  scan.current += text;
  scan.at += length;
  scan.endsWithBlank = /\s$/.test(text);
}

function finishCommand(scan: Scan): void {
  const command = scan.current.trim();
  scan.current = "";
  scan.endsWithBlank = true;
  if (command === "") return;
  if (keyword.test(command)) scan.isPlain = false;
  scan.commands.push(command);
}

/** Bounds the work on a line made of prefixes only. */
const prefixLimit = 1000;

/** What can stand before the command that is really run. */
const prefix =
  /^(?:[A-Za-z_]\w*\+?=\S*|sudo|doas|env|command|builtin|exec|eval|nohup|nice|setsid|timeout|stdbuf|xargs|time|if|then|elif|else|while|until|do|!|-[\w-]+(?:=\S*)?|\d+[smhd]?)(?:\s+|$)/;

/**
 * Everything in `line` that might be a command, in every spelling a rule may be written for: whole, simple commands,
 * the inside of substitutions and quotes, without quotes, without assignments and wrappers, without the folder of
 * the program. For rules that forbid: too much is right here.
 */
export function possibleCommands(line: string): ReadonlySet<string> {
  const found = new Set<string>();
  const unquoted = line.replaceAll("\\\n", "").replaceAll(/["'\\]/g, "");
  const pieces = [
    line,
    ...parseCommandLine(line).commands,
    ...line.split(/[;&|\n\r(){}`"'<>]|\$\(/),
    ...unquoted.split(/[;&|\n\r(){}`<>]|\$\(/),
  ];
  for (const piece of pieces) addSpellings(piece, found);
  return found;
}

function addSpellings(piece: string, found: Set<string>): void {
  let command = piece.trim().replaceAll(/[ \t]+/g, " ");
  found.add(piece.trim());
  let last = "";
  for (let round = 0; round < prefixLimit && command !== last && command !== ""; round += 1) {
    found.add(command);
    found.add(command.replace(/^[^\s=]*\//, ""));
    last = command;
    command = command.replace(prefix, "");
  }
}
