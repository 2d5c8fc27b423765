import type { AskHost } from "../arguments.ts";

/** Reads the text of a file. */
export function contentOf(ask: AskHost, path: string): string {
  return (ask("file.load", path) as { content: string }).content;
}
