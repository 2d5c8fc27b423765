import { readFileSync } from "node:fs";

/** What the model is told about a tool: the text of `prompt/NAME.md`, beside this file. */
export function readPrompt(name: string): string {
  return readFileSync(new URL(`./prompt/${name}.md`, import.meta.url), "utf8").trim();
}
