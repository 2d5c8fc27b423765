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

/** Returns the context shared with the run that `assignment` continues; `undefined` when it continues none. */
export function continuedContext({
  continued,
}: Assignment): Pick<RunSpec, "dependsOn" | "context"> | undefined {
  if (continued === undefined) return undefined;
  return { dependsOn: [], ...omitUndefined({ context: continued.spec.context }) };
}

/**
 * Keeps the tool limit of a root run that was once a child, because a fork of a sub-agent has no more rights than the sub-agent.
 */
export function keepToolLimit<Chosen extends Pick<ChosenExtensions, "parentTools">>(
  chosen: Chosen,
  { continued }: Assignment,
  origin: Origin | undefined,
): Chosen {
  if (continued === undefined || origin !== undefined) return chosen;
  return { ...chosen, parentTools: continued.spec.parentTools };
}

/** Returns the conversation that a new run belongs to, unless it begins one. `parent` is the requesting run. */
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
