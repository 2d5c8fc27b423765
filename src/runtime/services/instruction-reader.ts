import type { ReadInstructions } from "../../tool/instruction-file/instruction-cache.ts";

/**
 * Creates the reader of instruction files, which is loaded for the first run. When instruction files are turned off, it finds
 * none.
 */
export function createInstructionReader(
  home: string,
  isOn: boolean,
): (workspace: string) => ReturnType<ReadInstructions> {
  let cache: Promise<ReadInstructions> | undefined;
  return async (workspace) => {
    if (!isOn) return { files: [], problems: [] };
    cache ??= import("../../tool/instruction-file/instruction-cache.ts").then(
      ({ createInstructionCache }) => createInstructionCache(),
    );
    return await (
      await cache
    )({ workspace, home });
  };
}
