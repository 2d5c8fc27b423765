import { omitUndefined } from "../../omit-undefined.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Assignment, Origin } from "../assignment.ts";
import type { ChosenExtensions } from "./choose-extensions.ts";

/** Returns the folder of the run that `assignment` continues; `undefined` when it continues none. */
export function continuedWorkspace({
  continued,
}: Assignment): Pick<RunSpec, "workspace" | "worktree"> | undefined {
  if (continued === undefined) return undefined;
  const { workspace, worktree } = continued.spec;
  return { workspace, ...omitUndefined({ worktree }) };
}

/** Returns what was shared with the run that `assignment` continues; `undefined` when it continues none. */
export function continuedContext({
  continued,
}: Assignment): Pick<RunSpec, "dependsOn" | "context"> | undefined {
  if (continued === undefined) return undefined;
  return { dependsOn: [], ...omitUndefined({ context: continued.spec.context }) };
}

/** Keeps the limit of tools of a root run that was a child once: a fork of a sub-agent has no more than that. */
export function keepToolLimit<Chosen extends Pick<ChosenExtensions, "parentTools">>(
  chosen: Chosen,
  { continued }: Assignment,
  origin: Origin | undefined,
): Chosen {
  if (continued === undefined || origin !== undefined) return chosen;
  return { ...chosen, parentTools: continued.spec.parentTools };
}

/** The conversation that a new run belongs to, where it does not begin one. `parent` is the run that asks for it. */
export function conversationOf(
  { continued }: Assignment,
  parent: RunSpec | undefined,
): Pick<RunSpec, "continues" | "conversation" | "compact"> {
  const compact = continued?.compact === true && { compact: true };
  if (parent !== undefined) {
    const { conversation } = parent;
    return { ...omitUndefined({ continues: continued?.spec.id, conversation }), ...compact };
  }
  if (continued === undefined) return {};
  const { id, rootId, conversation = rootId } = continued.spec;
  return { continues: id, conversation, ...compact };
}
