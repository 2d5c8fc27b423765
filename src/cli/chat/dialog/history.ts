import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The number of texts that are offered. */
const most = 200;
/** The longest text that is stored, in characters. */
const longest = 10_000;

/** The texts that the user typed in a project's conversations. */
export interface ChatHistory {
  /** Reads the latest texts, oldest first. Skips a line that cannot be read. */
  read(): Promise<string[]>;
  /** Adds a text of at most 10,000 characters. A longer text is not stored. */
  add(text: string): Promise<void>;
}

/** Creates the history in the state folder: one JSON string a line, readable only by the user. */
export function createChatHistory(stateFolder: string): ChatHistory {
  const path = join(stateFolder, "chat-history.jsonl");
  return {
    async read() {
      const text = await readFile(path, "utf8").catch(() => "");
      return text.split("\n").flatMap(readLine).slice(-most);
    },
    async add(text) {
      if (text.length > longest) return;
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
    },
  };
}

function readLine(line: string): string[] {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === "string" ? [text] : [];
  } catch {
    return [];
  }
}
