import type { Tool } from "../../tool/tool.ts";
import type { OwnToolServices } from "./create-own-tool.ts";
import type { OwnToolList } from "./own-tool-list.ts";
import type { ReadTool } from "./read-tools.ts";

/**
 * Creates the function that returns the program's tools as a run's tools. It returns the same objects each time, so that their
 * properties are computed once. The code behind them is loaded for the first tool.
 */
export function offerOwnTools(
  list: OwnToolList,
  services: OwnToolServices,
): () => Promise<readonly Tool[]> {
  const made = new Map<ReadTool, Tool>();
  return async () => {
    const tools = list.all();
    if (tools.length === made.size) return [...made.values()];
    const { createOwnTool } = await import("./create-own-tool.ts");
    for (const tool of tools) {
      if (!made.has(tool)) made.set(tool, createOwnTool(tool, services));
    }
    return [...made.values()];
  };
}
