import { readFileSync } from "node:fs";

const prompts = new Map<string, string>();

/** Reads and caches a prompt file that is stored beside this file. */
export function readEnginePrompt(name: string): string {
  const text =
    prompts.get(name) ?? readFileSync(new URL(`${name}.md`, import.meta.url), "utf8").trim();
  prompts.set(name, text);
  return text;
}
