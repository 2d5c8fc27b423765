import type { ChangeSource } from "../../delegate/changed-definition/respect-changes.ts";
import type { DefinitionPlace } from "../../engine/definition-change/definition-files.ts";
import type { DefinitionGate } from "../../engine/definition-change/definition-gate.ts";
import { mayBringCode } from "../../engine/definition-change/may-bring-code.ts";
import { findProjectRoot } from "../../source/project-root.ts";

/** What becomes of definitions that appear or change while a family is at work. */
export interface DefinitionChanges {
  find: ChangeSource["findChanges"];
  permit: DefinitionGate;
}

/**
 * The changes to the definitions of one Cadre. What looks for them is loaded when it is needed: most definitions bring no code.
 */
export function createDefinitionChanges({
  cwd,
  home,
}: Pick<DefinitionPlace, "cwd" | "home">): DefinitionChanges {
  const place: DefinitionPlace = { cwd, home, root: findProjectRoot({ cwd, home }) };
  let gate: Promise<DefinitionGate> | undefined;

  async function createGate(): Promise<DefinitionGate> {
    const { createDefinitionGate } =
      await import("../../engine/definition-change/definition-gate.ts");
    const { configOf } = await import("../../extension/stored-extension.ts");
    return createDefinitionGate({
      place,
      async ownServers({ extensions = [] }) {
        const own = extensions.filter(({ isOwn }) => isOwn === true);
        return own.map(configOf);
      },
    });
  }

  return {
    async find(definition, since) {
      const { findChangedFiles, findDefinitionFiles } =
        await import("../../engine/definition-change/definition-files.ts");
      return findChangedFiles(await findDefinitionFiles(definition, place), since, place);
    },
    async permit(session) {
      if (mayBringCode(session.definition)) await (await (gate ??= createGate()))(session);
    },
  };
}
