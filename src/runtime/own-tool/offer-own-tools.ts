import type { Tool } from "../../tool/tool.ts";
import type { OwnToolServices } from "./create-own-tool.ts";
import type { OwnToolList } from "./own-tool-list.ts";
import type { ReadTool } from "./read-tools.ts";

/**
 * Creates the function that returns the tools of the program as a run's tools: the same objects each time, so that what is known
 * of a tool is found out once. The code behind them is loaded for the first one.
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
