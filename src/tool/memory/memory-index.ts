import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { confine } from "../path/path-confinement.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import type { AgentMemory } from "./agent-memory.ts";

/** The file of a memory that is part of the agent's instructions. */
const memoryIndex = "MEMORY.md";

/** The maximum number of lines of the index in the instructions. */
const maxIndexLines = 200;

/** The maximum size of the index in the instructions, in bytes. */
const maxIndexBytes = 25 * 1024;

/** Reads the beginning of a memory's index; empty when there is none. `problem` describes what was cut or cannot be read. */
export async function readMemoryIndex({
  folder,
}: AgentMemory): Promise<{ text: string; problem?: string }> {
  const path = join(folder, memoryIndex);
  try {
    // A command may have put a link there.
    confine(path, { workspace: folder });
  } catch (error) {
    if (error instanceof CadreError) return { text: "", problem: error.message };
    throw error;
  }
  const { text, diagnostics } = await readTextFile(path);
  const [finding] = diagnostics;
  if (finding?.code === "not-found") return { text: "" };
  if (text === null) return { text: "", problem: `${path} was left out: ${finding?.message}` };
  const lines = text.trimEnd().split("\n");
  let kept = lines.slice(0, maxIndexLines);
  while (Buffer.byteLength(kept.join("\n")) > maxIndexBytes) kept = kept.slice(0, -1);
  if (kept.length === lines.length) return { text: kept.join("\n") };
  const problem = `${path} (${lines.length} lines, ${Buffer.byteLength(text)} bytes) was cut to its first ${kept.length} lines: the limit is ${maxIndexLines} lines and ${maxIndexBytes} bytes. The agent should move details to other files in its memory.`;
  return { text: kept.join("\n"), problem };
}
