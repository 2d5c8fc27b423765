import { readFileSync } from "node:fs";

/** Returns the description of a tool for the model: the text of `prompt/NAME.md` beside this file. */
export function readToolPrompt(name: string): string {
  return readFileSync(new URL(`./prompt/${name}.md`, import.meta.url), "utf8").trim();
}
