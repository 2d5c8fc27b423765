// Output of tools: limits the text for the model and stores the whole.

import { createHash } from "node:crypto";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../path/path-confinement.ts";
import type { ToolContext } from "../tool.ts";

/** The default limit of a tool's text for the model, in characters. */
export const outputLimit = 30_000;

/** Room for the line between the two ends, so that a cut text is not cut again. */
const noteCharacters = 500;

/** Where a call stores its output. */
export type OutputLocation = Pick<ToolContext, "outputFolder" | "stepKey">;

/**
 * Returns `text`, or its beginning and end when it is longer than `limit` characters. A long text is cut at line breaks and
 * stored in full; a line between the ends says how to read it.
 */
export async function capOutput(
  text: string,
  location: OutputLocation,
  limit: number = outputLimit,
): Promise<string> {
  if (text.length <= limit) return text;
  const { handle, path } = await openOutputFile(location);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  return cutMiddle({ head: text, tail: text, length: text.length, limit, rest: wholeIn(path) });
}

/** Returns the sentence that tells a model where the whole output is. */
export function wholeIn(path: string): string {
  return `The whole output is in ${path}: use Read with offset and limit, or Grep with this path.`;
}

/**
 * Joins the beginning of `head` and the end of `tail`, at most `limit` characters in total, cut at line breaks where possible. A
 * line between them counts the characters missing of `length` and ends with `rest`.
 */
export function cutMiddle(parts: {
  head: string;
  tail: string;
  length: number;
  limit: number;
  rest: string;
}): string {
  const { head, tail, length, limit, rest } = parts;
  const half = Math.max(Math.floor((limit - noteCharacters) / 2), 0);
  const start = cutEnd(head, half);
  const end = cutStart(tail, half);
  const missing = Math.max(length - start.length - end.length, 0);
  return `${start}\n\n[… ${missing} characters left out. ${rest}]\n\n${end}`;
}

/** Opens a new file in the output folder for a call to write. */
export async function openOutputFile(
  location: OutputLocation,
): Promise<{ handle: FileHandle; path: string }> {
  await mkdir(location.outputFolder, { recursive: true, mode: 0o700 });
  // Never overwrites an earlier output, such as that of a call which a resume repeats, or of a text that is cut twice.
  for (let number = 1; ; number += 1) {
    const path = join(
      location.outputFolder,
      `${outputFileName(location.stepKey)}${number === 1 ? "" : `-${number}`}.txt`,
    );
    try {
      return { handle: await open(path, "wx", 0o600), path };
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** Returns the base name of the files with a step's outputs, without a number and `.txt`. */
export function outputFileName(stepKey: string): string {
  const clean = stepKey.replaceAll(/[^\w.-]/g, "-").slice(0, 100);
  if (clean === stepKey && !clean.startsWith(".")) return clean;
  // Two keys must not share a name.
  return `step-${clean}-${createHash("sha256").update(stepKey).digest("hex").slice(0, 8)}`;
}

function cutEnd(text: string, length: number): string {
  if (text.length <= length) return text;
  const lineEnd = text.lastIndexOf("\n", length);
  const end = lineEnd > length / 2 ? lineEnd : length;
  return withoutBrokenEdges(text.slice(0, end));
}

function cutStart(text: string, length: number): string {
  const from = text.length - length;
  if (from <= 0) return text;
  const lineStart = text.indexOf("\n", from) + 1;
  const start = lineStart > 0 && lineStart < from + length / 2 ? lineStart : from;
  return withoutBrokenEdges(text.slice(start));
}

/** A cut can leave half a surrogate pair, which is invalid in a request. */
function withoutBrokenEdges(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, "").replace(/[\uD800-\uDBFF]$/, "");
}
