import { readFileSync } from "node:fs";
import { onFirstUse } from "./on-first-use.ts";

/** Returns a function that returns the text of a prompt file, trimmed. The first call reads the file. */
export function promptFile(url: URL): () => string {
  return onFirstUse(() => readFileSync(url, "utf8").trim());
}
