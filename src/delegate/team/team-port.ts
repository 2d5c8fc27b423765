import type { Clock } from "../../clock.ts";
import type { Engine } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { Families } from "../family/families.ts";
import { describeRunName } from "../tools/session-scope.ts";
import type { ToolContext } from "../../tool/tool.ts";
import type { BoardAuthor, LiveBoard, LiveBoards } from "./live-board.ts";

/** The services behind the tools of teams. */
export interface TeamPort {
  engine: Pick<Engine, "send">;
  registry: Registry;
  families: Families;
  boards: LiveBoards;
  clock: Pick<Clock, "schedule">;
}

/** Opens the board of the calling run's team. */
export async function openBoard(
  { boards }: Pick<TeamPort, "boards">,
  { caller, stepKey }: Pick<ToolContext, "caller" | "stepKey">,
): Promise<{ board: LiveBoard; author: BoardAuthor }> {
  const { id, rootId } = caller.spec;
  return { board: await boards.of(rootId), author: { runId: id, stepKey } };
}

/** Reads the members of the team of `spec`, including itself, in order of creation. */
export async function readMembers(
  registry: Pick<Registry, "family">,
  { rootId }: Pick<RunSpec, "rootId">,
): Promise<Run[]> {
  return (await registry.family(rootId)).filter(({ team }) => team === true);
}

/**
 * Finds another member of the team by its id, its label, or the part of its id after the dash. If several have the label, the
 * newest counts.
 *
 * @throws CadreError `run-not-found` with a list of the other members.
 */
export async function findTeammate(
  { registry, families }: Pick<TeamPort, "registry" | "families">,
  spec: RunSpec,
  name: string,
): Promise<Run> {
  const found = (await families.of(spec.rootId)).find(name);
  const run = found === undefined ? undefined : await registry.run(found.id);
  if (run?.team === true && run.id !== spec.id) return run;
  const others = (await readMembers(registry, spec)).filter(({ id }) => id !== spec.id);
  const names = others.map(({ label, agent }) => label ?? agent);
  const list = others.slice(-50).map(describeRunName).join(", ") || "none";
  const what = run?.id === spec.id ? "is yourself" : "is not a member of your team";
  const message = `"${name}" ${what}.${didYouMean(name, names)} The other members: ${list}.`;
  throw new CadreError("run-not-found", message);
}

/** Reports whether a run has not ended. */
export function isAtWork({ status }: Pick<Run, "status">): boolean {
  return !isTerminal(status);
}
