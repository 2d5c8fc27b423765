import { readFileSync } from "node:fs";

/** Reads a prompt that lies beside this file. */
export function readEnginePrompt(name: string): string {
  return readFileSync(new URL(`${name}.md`, import.meta.url), "utf8").trim();
}
