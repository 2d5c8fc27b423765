import type { Diagnostic } from "../source/diagnostic.ts";
import type { AgentDefinition } from "./definition/agent.ts";

/** A definition that is not used, because another one with the same name takes precedence. */
export interface Shadow {
  definition: AgentDefinition;
  winner: AgentDefinition;
}

/** The codes of findings about definitions with the same name. */
export const shadowCodes: ReadonlySet<string> = new Set(["shadowed", "copies"]);

/**
 * Returns the finding for an unused definition; `null` for a built-in one, which is meant to be replaced. A copy of the winner
 * for another program is a finding of severity `info`.
 */
export function describeShadow({ definition, winner }: Shadow): Diagnostic | null {
  const { name, source, lines } = definition;
  const { path } = source;
  if (path === null) return null;
  const position = { path, line: lines.name ?? 1, column: 1 };
  const by = winner.source.path ?? winner.source.scope;
  if (isCopy({ definition, winner })) {
    const message = `The agent \`${name}\` is the copy for ${source.format}; ${by} is used.`;
    const fix = "No action is needed while both are the same.";
    return { ...position, severity: "info", code: "copy", message, fix };
  }
  const message = `The agent \`${name}\` is already defined in ${by}, which takes precedence; this one is not used.`;
  const fix = "Rename or remove one of them.";
  return { ...position, severity: "warning", code: "shadowed", message, fix };
}

/** Returns one finding for all agents that have files for several programs. */
export function describeCopies(shadows: readonly Shadow[]): Diagnostic[] {
  const copies = shadows.filter(isCopy);
  const [first] = copies;
  if (first === undefined) return [];
  const names = [...new Set(copies.map(({ definition }) => definition.name))];
  const formats = (list: readonly AgentDefinition[]): string =>
    [...new Set(list.map(({ source }) => source.format))].join(", ");
  const used = formats(copies.map(({ winner }) => winner));
  const unused = formats(copies.map(({ definition }) => definition));
  const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? " …" : "");
  const message = `${names.length === 1 ? "1 agent has" : `${names.length} agents have`} files for several programs (${shown}): the files for ${used} are used, those for ${unused} are not.`;
  const fix = "No action is needed while they are the same.";
  const path = first.definition.source.path ?? "";
  return [{ path, line: 1, column: 1, severity: "info", code: "copies", message, fix }];
}

/** Reports whether both are the same agent for different programs: they have the same name, description and scope. */
function isCopy({ definition, winner }: Shadow): boolean {
  const { description, source } = definition;
  const isOther = source.format !== winner.source.format && source.scope === winner.source.scope;
  return isOther && description !== "" && toLine(description) === toLine(winner.description);
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
