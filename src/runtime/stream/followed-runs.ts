import type { Activities } from "../../engine/live/activities.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import { createRunProjection, type RunProjection } from "./project-run.ts";

/** The runs of a stream besides its main run: none, the beginnings and ends of its children, or the output of all descendants. */
export type OtherRuns = "none" | "children" | "descendants";

/** A run of a stream. */
export interface FollowedRun {
  id: string;
  /** Absent: only the creation and the end of the run are shown. */
  projection: RunProjection | undefined;
  /** The last event that was shown of a run without a projection: 0, or 1 for its creation. */
  seen: number;
  isEnded: boolean;
  /** Its followed children by their ids and by the steps that requested them. */
  children: Map<string, FollowedRun[]>;
}

/** The runs of a stream, and which of them have news. */
export interface FollowedRuns {
  readonly own: FollowedRun;
  /** The runs with new events. */
  readonly changed: Set<FollowedRun>;
  /** The runs with a reply or an output that has grown. */
  readonly grown: Set<FollowedRun>;
  /** Reports whether every run has ended. */
  hasEnded(): boolean;
  /**
   * Reads which runs exist and which have news. The runs of this process report theirs.
   *
   * @throws CadreError `run-not-found`.
   */
  refresh(): Promise<void>;
  /** Does the same for the children of one run. */
  refreshChildren(followed: FollowedRun): Promise<void>;
  stop(): void;
}

/** Options of {@link followRuns}. */
export interface FollowOptions {
  registry: Registry;
  activities: Activities;
  others: OtherRuns;
  /** Called when there is news. */
  onNews: () => void;
}

/** Follows the run `runId` and others of its family. */
export function followRuns(options: FollowOptions, runId: string): FollowedRuns {
  const { registry, activities, others, onNews } = options;
  const all = new Map<string, FollowedRun>();
  const changed = new Set<FollowedRun>();
  const grown = new Set<FollowedRun>();
  const stops: (() => void)[] = [];
  const own = add({ id: runId, parentId: null, parentStep: null });

  function add({ id, parentId, parentStep }: RunPosition): FollowedRun {
    const isWhole = all.size === 0 || others === "descendants";
    const projection = isWhole ? createRunProjection() : undefined;
    const followed = { id, projection, seen: 0, isEnded: false, children: new Map() };
    all.set(id, followed);
    changed.add(followed);
    const parent = all.get(parentId ?? "");
    if (parent !== undefined && parentStep !== null) noteChild(parent, followed, parentStep);
    if (isWhole) stops.push(activities.watch(id, () => note(grown, followed), registry.live));
    return followed;
  }

  function note(set: Set<FollowedRun>, followed: FollowedRun): void {
    set.add(followed);
    onNews();
  }

  function isWanted({ parentId }: Run): boolean {
    if (others === "none" || parentId === null) return false;
    return others === "children" ? parentId === own.id : all.has(parentId);
  }

  function onEvent(event: RunEvent, changedRun: Run): void {
    // Added here and not when it is read, so that the first reply of a new run is streamed, too.
    const isNew = event.type === "run-created" && !all.has(changedRun.id) && isWanted(changedRun);
    const followed = isNew ? add(changedRun) : all.get(changedRun.id);
    if (followed === undefined) return;
    const isShown = followed.projection !== undefined || isNew || event.type === "run-finished";
    if (isShown) note(changed, followed);
  }
  stops.push(registry.subscribe(onEvent));

  function noteChanges(other: Run): void {
    const followed = all.get(other.id) ?? add(other);
    const { projection, seen, isEnded } = followed;
    const isNew = projection === undefined ? isTerminal(other.status) : other.lastSeq > seen;
    if (!isEnded && isNew) changed.add(followed);
  }

  return {
    own,
    changed,
    grown,
    hasEnded() {
      if (!own.isEnded || changed.size > 0) return false;
      return others !== "descendants" || all.values().every(({ isEnded }) => isEnded);
    },
    async refresh() {
      for (const run of await findRuns(options, runId)) noteChanges(run);
    },
    async refreshChildren({ id }) {
      if (others === "descendants" || (others === "children" && id === runId)) {
        for (const run of await registry.children(id)) noteChanges(run);
      }
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

/** Reads the runs of a stream, parents before their children. */
async function findRuns({ registry, others }: FollowOptions, runId: string): Promise<Run[]> {
  const run = await registry.run(runId);
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  if (others === "none") return [run];
  if (others === "children") return [run, ...(await registry.children(runId))];
  return [run, ...selectDescendants(runId, await registry.family(run.rootId))];
}

type RunPosition = Pick<Run, "id" | "parentId" | "parentStep">;

/** Records a child under its id, its step, and the call that requested several children. */
function noteChild({ children }: FollowedRun, child: FollowedRun, step: string): void {
  const call = step.slice(0, Math.max(0, step.lastIndexOf("/")));
  for (const key of [child.id, step, call]) {
    const known = children.get(key);
    if (known === undefined) children.set(key, [child]);
    else known.push(child);
  }
}
