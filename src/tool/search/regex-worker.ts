import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

/** The data that the worker starts with. */
export interface RegexWork {
  folder: string;
  files: readonly string[];
  source: string;
  flags: string;
  /** The maximum number of lines counted in one file. */
  matchesPerFile: number;
}

/** The single answer of the worker. */
export type RegexFindings = [file: string, lines: number[]][];

const work = workerData as RegexWork;
const { matchesPerFile } = work;
parentPort?.postMessage(searchFiles(work), []);

function searchFiles({ folder, files, source, flags }: RegexWork): RegexFindings {
  const expression = new RegExp(source, flags);
  const find = expression.global ? findAcrossLines : findInLines;
  return files
    .map((file): RegexFindings[number] => [file, find(readText(join(folder, file)), expression)])
    .filter(([, lines]) => lines.length > 0);
}

function readText(path: string): string {
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return fstatSync(handle).isFile() ? readFileSync(handle, "utf8").replace(/^\uFEFF/, "") : "";
  } catch {
    // Removed since it was listed, or unreadable: no matches.
    return "";
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function findInLines(text: string, expression: RegExp): number[] {
  const found: number[] = [];
  for (
    let start = 0, number = 1;
    start < text.length && found.length < matchesPerFile;
    number += 1
  ) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd === -1 ? text.length : lineEnd;
    const isWindows = end > start && text.charCodeAt(end - 1) === 13;
    if (expression.test(text.slice(start, isWindows ? end - 1 : end))) found.push(number);
    start = end + 1;
  }
  return found;
}

function findAcrossLines(text: string, expression: RegExp): number[] {
  const found = new Set<number>();
  let line = 1;
  let counted = 0;
  const advance = (to: number): void => {
    for (
      let at = text.indexOf("\n", counted);
      at !== -1 && at < to;
      at = text.indexOf("\n", at + 1)
    ) {
      line += 1;
      counted = at + 1;
    }
  };
  for (const match of text.matchAll(expression)) {
    // An empty match after the last line break is on no line.
    if (match.index === text.length && (text === "" || text.endsWith("\n"))) break;
    advance(match.index);
    found.add(line);
    const last = match[0].split("\n").length - (match[0].endsWith("\n") ? 2 : 1);
    for (let more = 1; more <= last; more += 1) found.add(line + more);
    if (found.size >= matchesPerFile) break;
  }
  return [...found].slice(0, matchesPerFile);
}
