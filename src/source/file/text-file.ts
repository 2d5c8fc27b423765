// Text files and folders: reading, walking and watching them, and finding the root of a project.

import { readFile, stat } from "node:fs/promises";
import type { Diagnostic } from "../diagnostic.ts";
import { createLineIndex } from "../position.ts";

/** The maximum size of a text file, in bytes. */
export const maxTextFileBytes: number = 1024 * 1024;

/** A text; `null` when it is unusable. The diagnostics give the reason. */
export interface TextReading {
  text: string | null;
  diagnostics: Diagnostic[];
}

/**
 * Reads a text file of at most {@link maxTextFileBytes}. Refuses pipes and devices. Removes the byte-order mark and
 * converts line ends to `\n`. Never throws: an unreadable file is a diagnostic.
 */
export async function readTextFile(path: string): Promise<TextReading> {
  try {
    const status = await stat(path);
    if (!status.isFile())
      return refused(
        path,
        "not-a-file",
        "Expected a regular file.",
        "Remove it, or replace it by a file.",
      );
    if (status.size > maxTextFileBytes) return tooLarge(path, status.size);
    return decodeText(await readFile(path), path);
  } catch (error) {
    return unreadable(path, error);
  }
}

/** Decodes bytes as {@link readTextFile} does. Bytes that are not UTF-8 become U+FFFD, with a warning. */
function decodeText(bytes: Uint8Array, path: string): TextReading {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    const message = "Expected UTF-8 text, got UTF-16 (by its byte-order mark).";
    return refused(path, "encoding", message, "Save the file as UTF-8.");
  }
  const text = new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n");
  if (isUtf8(bytes)) return { text, diagnostics: [] };
  const position = createLineIndex(text)(text.indexOf("\u{FFFD}"));
  const message = "Expected UTF-8 text; an invalid byte here was replaced by U+FFFD.";
  const fix = "Save the file as UTF-8.";
  const finding: Diagnostic = {
    path,
    ...position,
    severity: "warning",
    code: "encoding",
    message,
    fix,
  };
  return { text, diagnostics: [finding] };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function tooLarge(path: string, size: number): TextReading {
  const message = `Expected at most ${maxTextFileBytes} bytes, got ${size}.`;
  return refused(path, "file-too-large", message, "Split the file, or move it elsewhere.");
}

function unreadable(path: string, error: unknown): TextReading {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  if (code === "ENOENT") {
    return refused(path, "not-found", "Expected a file, but nothing is there.", "Check the path.");
  }
  const message = `The file could not be read (${code}).`;
  return refused(path, "file-unreadable", message, "Check its permissions.");
}

function refused(path: string, code: string, message: string, fix: string | null): TextReading {
  const finding: Diagnostic = { path, line: 1, column: 1, severity: "error", code, message, fix };
  return { text: null, diagnostics: [finding] };
}
