import { maxTextFileBytes } from "../../source/file/text-file.ts";
import { findSeparator, splitPrompt } from "./prompt-section.ts";

/** A prompt file with an inserted answer, or why the answer cannot be inserted. */
export type AnswerInsertion = { text: string } | { problem: string };

/**
 * Inserts an answer below the line `====` of a prompt file, above its existing text; removes nothing. Adds that line to a file
 * without one. Keeps line endings.
 */
export function insertAnswer(file: string, answer: string): AnswerInsertion {
  const lineEnd = file.includes("\r\n") ? "\r\n" : "\n";
  const isMarked = file.startsWith("\uFEFF");
  const lines = file
    .slice(isMarked ? 1 : 0)
    .replaceAll("\r\n", "\n")
    .split("\n");
  const at = findSeparator(lines);
  const above = lines.slice(0, at ?? lines.length).join("\n");
  const below = at === null ? "" : lines.slice(at + 1).join("\n");
  const parts = [above.trimEnd(), "====", answer.trim()];
  if (below.trim() !== "") parts.push("====", below.trim());
  const text = `${parts.join("\n\n")}\n`;
  if (readPrompt(text) !== readPrompt(lines.join("\n"))) {
    const problem =
      "a code block or the frontmatter above is never closed, so the answer would become part of the prompt";
    return { problem };
  }
  const written = `${isMarked ? "\uFEFF" : ""}${text.replaceAll("\n", lineEnd)}`;
  if (Buffer.byteLength(written) <= maxTextFileBytes) return { text: written };
  const problem = `the file would be longer than ${maxTextFileBytes} bytes, the limit for reading it; delete earlier answers below \`====\``;
  return { problem };
}

/** Returns everything of a prompt that the answer could affect. */
function readPrompt(text: string): string {
  const { sources, instruction } = splitPrompt(text, "");
  return JSON.stringify([sources, instruction]);
}
