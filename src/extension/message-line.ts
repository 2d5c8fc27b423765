import { isRecord } from "../source/json.ts";
import { plainLine } from "./plain-text.ts";

/** The JSON-RPC message that a line of a process is; `undefined` when it is something else. */
export function parseMessageLine(line: string): Record<string, unknown> | undefined {
  // A flood of log lines would be slow to find wrong by parsing.
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && value["jsonrpc"] === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The lines of a process that are no messages: passed over, and counted. */
export interface Strays {
  add(line: string): void;
  /** For messages; an empty string when there were none. */
  describe(): string;
}

/** Counts lines that are no messages of `protocol`. */
export function createStrays(protocol: string): Strays {
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
      return `it wrote ${count} lines to stdout that are no ${protocol} messages, such as ${example}`;
    },
  };
}
