import { readMemoryIndex } from "../../tool/memory/memory-index.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { readEnginePrompt } from "./read-engine-prompt.ts";

/** Describes an agent's memory for its instructions, including the index; empty for an agent without memory. */
export async function describeMemory({
  memory,
}: Pick<RunContext, "memory">): Promise<{ text: string; warnings: readonly string[] }> {
  if (memory === undefined) return { text: "", warnings: [] };
  const { text: index, problem } = await readMemoryIndex(memory);
  const head = readEnginePrompt("memory").replace("{{folder}}", () => memory.folder);
  const shown = index === "" ? "The index is empty so far." : `<memory>\n${index}\n</memory>`;
  return { text: `${head}\n\n${shown}`, warnings: problem === undefined ? [] : [problem] };
}
