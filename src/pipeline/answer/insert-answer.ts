import { maxTextFileBytes } from "../../source/text-file.ts";
import { findSeparator, splitPrompt } from "../prompt-section.ts";

/** A prompt file with an answer in it, or why the answer cannot be written there. */
export type AnswerInsertion = { text: string } | { problem: string };

/**
 * Puts an answer below the line `====` of a prompt file, above what stands there already: nothing is taken away. A file without
 * that line gets one at its end. Line ends stay as they are.
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
      "a block of code or the frontmatter above is never closed, so that the answer would be a part of the prompt";
    return { problem };
  }
  const written = `${isMarked ? "\uFEFF" : ""}${text.replaceAll("\n", lineEnd)}`;
  if (Buffer.byteLength(written) <= maxTextFileBytes) return { text: written };
  const problem = `the file would be longer than ${maxTextFileBytes} bytes, which is the most that is read; delete earlier answers below \`====\``;
  return { problem };
}

/** What is asked for, as far as the answer could change it. */
function readPrompt(text: string): string {
  const { sources, instruction } = splitPrompt(text, "");
  return JSON.stringify([sources, instruction]);
}
