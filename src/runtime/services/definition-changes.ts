import type { ChangeSource } from "../../delegate/settings/respect-changes.ts";
import type { DefinitionFolders } from "../../engine/definition-change/definition-files.ts";
import type { DefinitionGate } from "../../engine/definition-change/definition-gate.ts";
import { mayBringCode } from "../../engine/definition-change/may-bring-code.ts";
import { findProjectRoot } from "../../source/file/project-root.ts";

/** Handles definitions that appear or change while a family runs. */
export interface DefinitionChanges {
  find: ChangeSource["findChanges"];
  permit: DefinitionGate;
}

/** Creates the handling of changed definitions. The search for them is loaded on use, because most definitions contain no code. */
export function createDefinitionChanges({
  cwd,
  home,
}: Pick<DefinitionFolders, "cwd" | "home">): DefinitionChanges {
  const folders: DefinitionFolders = { cwd, home, root: findProjectRoot({ cwd, home }) };
  let gate: Promise<DefinitionGate> | undefined;

  async function createGate(): Promise<DefinitionGate> {
    const { createDefinitionGate } =
      await import("../../engine/definition-change/definition-gate.ts");
    const { configOf } = await import("../../extension/stored-extension.ts");
    return createDefinitionGate({
      folders,
      async ownServers({ extensions = [] }) {
        const own = extensions.filter(({ isOwn }) => isOwn === true);
        return own.map(configOf);
      },
    });
  }

  return {
    async find(definition, since) {
      const { findNewerFiles, findDefinitionFiles } =
        await import("../../engine/definition-change/definition-files.ts");
      return findNewerFiles(await findDefinitionFiles(definition, folders), since, folders);
    },
    async permit(run) {
      if (mayBringCode(run.definition)) await (await (gate ??= createGate()))(run);
    },
  };
}
