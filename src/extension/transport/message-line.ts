import { isRecord, parseJson } from "../../source/json.ts";
import { plainLine } from "../plain-text.ts";

/** Parses a line as a JSON-RPC message; `undefined` for any other line. */
export function parseMessageLine(line: string): Record<string, unknown> | undefined {
  // Parsing would be slow for a flood of log lines.
  if (!line.startsWith("{")) return undefined;
  const value = parseJson(line);
  return isRecord(value) && value["jsonrpc"] === "2.0" ? value : undefined;
}

/** Counts a process's lines that are not messages and are ignored. */
export interface IgnoredLines {
  add(line: string): void;
  /** Describes the lines for an error message; empty when there were none. */
  describe(): string;
}

/** Creates a counter of lines that are not messages of `protocol`. */
export function createIgnoredLines(protocol: string): IgnoredLines {
  let count = 0;
  let last = "";
  return {
    add(line) {
      count += 1;
      last = line.slice(0, 1000);
    },
    describe() {
      if (count === 0) return "";
      const example = JSON.stringify(plainLine(last, 200));
      return `it wrote ${count} lines to stdout that are not ${protocol} messages, such as ${example}`;
    },
  };
}
