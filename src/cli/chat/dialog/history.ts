import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** How many texts are offered again. */
const most = 200;
/** The longest text that is kept, in characters. */
const longest = 10_000;

/** The texts that the user typed in conversations of a project. */
export interface ChatHistory {
  /** Reads the latest texts, the oldest first. A line that cannot be read is left out. */
  read(): Promise<string[]>;
  /** Adds a text of at most 10,000 characters; a longer one is not kept. */
  add(text: string): Promise<void>;
}

/** Creates the history in the state folder: a JSON text a line, readable by the user only. */
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
