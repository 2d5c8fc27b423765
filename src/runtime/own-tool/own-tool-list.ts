import type { OwnTools } from "../own-tool.ts";
import type { ReadTool } from "./read-tools.ts";

/** The tools that a program gave to a Cadre. */
export interface OwnToolList {
  names(): readonly string[];
  all(): readonly ReadTool[];
  /**
   * Adds tools: all of them, or none.
   *
   * @throws CadreError `config-invalid` that lists every problem.
   */
  add(given: OwnTools): Promise<void>;
}

/** Creates an empty list. The checks and the conversion of schemas are loaded for the first tool. */
export function createOwnToolList(): OwnToolList {
  const tools = new Map<string, ReadTool>();
  /** One addition at a time, so that no two add the same name. */
  let adding = Promise.resolve();

  async function addNow(given: OwnTools): Promise<void> {
    const { readTools } = await import("./read-tools.ts");
    for (const tool of await readTools(given, [...tools.keys()])) tools.set(tool.name, tool);
  }

  return {
    names: () => [...tools.keys()],
    all: () => [...tools.values()],
    async add(given) {
      const added = adding.then(() => addNow(given));
      adding = added.catch(() => undefined);
      await added;
    },
  };
}
