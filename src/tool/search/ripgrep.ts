import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isRecord } from "../../source/json.ts";
import { matchesPerFile, type SearchRequest, type SearchResult } from "./grep-search.ts";
import { searchByRegex } from "./regex-search.ts";

const limitMs = 30_000;

/**
 * Searches with ripgrep in the given files, so that the choice of files does not depend on it. Falls back to the regex engine for
 * a pattern that only JavaScript accepts (look-around, back-references).
 */
export async function searchByRipgrep(
  request: SearchRequest,
  program = "rg",
): Promise<SearchResult> {
  const child = spawn(program, ripgrepArguments(request), {
    cwd: request.folder,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(limitMs)]),
    killSignal: "SIGKILL",
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  const problems = collect(child.stderr);
  const found = new Map<string, number[]>();
  const [[exitCode], problem] = await Promise.all([
    closed,
    problems,
    readMatches(child.stdout, found),
  ]);
  const isRefused =
    exitCode === 2 &&
    found.size === 0 &&
    /regex|look-?around|backreference|not allowed/i.test(problem);
  return isRefused ? searchByRegex(request) : found;
}

function ripgrepArguments(request: SearchRequest): string[] {
  return [
    "--json",
    "--no-config",
    "--text",
    // Replaces invalid UTF-8, as JavaScript does.
    "--encoding=utf-8",
    `--max-count=${matchesPerFile}`,
    ...(request.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(request.multiline ? ["--multiline", "--multiline-dotall"] : ["--crlf"]),
    `--regexp=${request.pattern}`,
    "--",
    ...request.files.map((file) => `./${file}`),
  ];
}

async function readMatches(
  stream: NodeJS.ReadableStream,
  found: Map<string, number[]>,
): Promise<void> {
  for await (const line of createInterface({
    input: stream,
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const match = parseMatch(line);
    if (match === undefined) continue;
    const lines = found.get(match.file) ?? [];
    for (let more = 0; more < match.count; more += 1) {
      if (lines.length < matchesPerFile && lines.at(-1) !== match.line + more)
        lines.push(match.line + more);
    }
    found.set(match.file, lines);
  }
}

function parseMatch(line: string): { file: string; line: number; count: number } | undefined {
  const message: unknown = JSON.parse(line);
  if (!isRecord(message) || message["type"] !== "match" || !isRecord(message["data"]))
    return undefined;
  const { path, lines, line_number: number } = message["data"];
  if (typeof number !== "number") return undefined;
  const text = decode(lines);
  return {
    file: decode(path).replace(/^\.\//, ""),
    line: number,
    count: Math.max(text.replace(/\n$/, "").split("\n").length, 1),
  };
}

/** Decodes a text. Ripgrep reports text that is not UTF-8 as base64. */
function decode(value: unknown): string {
  if (!isRecord(value)) return "";
  if (typeof value["text"] === "string") return value["text"];
  return typeof value["bytes"] === "string"
    ? Buffer.from(value["bytes"], "base64").toString("utf8")
    : "";
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const piece of stream) if (text.length < 10_000) text += String(piece);
  return text;
}
