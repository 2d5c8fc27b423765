import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { BoardChange } from "../../run/shared/board-change.ts";
import type { RunEvent } from "../../run/event.ts";
import { isTerminal } from "../../run/run.ts";
import { readEarlierFamilyRuns } from "../family/earlier-runs.ts";
import type { Families } from "../family/families.ts";
import type { Family } from "../family/family.ts";
import { type Board, createBoard } from "./board.ts";

/** The run and step that change a board. */
export interface BoardAuthor {
  runId: string;
  stepKey: string;
}

/** The board of a family that this process executes. */
export interface LiveBoard extends Omit<Board, "apply" | "problemOf" | "release"> {
  /**
   * Makes the change that `choose` returns and resolves with it once it is durable. A repeated step gets the change that it made
   * before a kill.
   *
   * @throws CadreError `invalid-argument` for a change that the board does not allow, and the errors of `choose`.
   */
  make<Change extends BoardChange>(choose: () => Change, by: BoardAuthor): Promise<Change>;
}

/** The boards of the families of this process. */
export interface LiveBoards {
  of(rootId: string): Promise<LiveBoard>;
}

/**
 * Creates the boards of one process. A board is kept as long as its family. A family has one owner, so changes never conflict.
 */
export function createLiveBoards(registry: Registry, families: Families): LiveBoards {
  const boards = new WeakMap<Family, Promise<RestoredBoard>>();
  const open = async (rootId: string): Promise<RestoredBoard> => {
    const family = await families.of(rootId);
    const known = boards.get(family);
    if (known !== undefined) return await known;
    const board = restoreBoard(registry, rootId);
    boards.set(family, board);
    // A failed read is repeated at the next request.
    board.catch(() => boards.delete(family));
    return await board;
  };
  return {
    async of(rootId) {
      const restored = await open(rootId);
      const { board, made } = restored;
      await releaseEnded(registry, board);
      return {
        ...board,
        async make<Change extends BoardChange>(choose: () => Change, by: BoardAuthor) {
          const before = made.get(authorKey(by));
          if (before !== undefined) return before as Change;
          const change = choose();
          const problem = board.problemOf(change, by.runId);
          if (problem !== undefined) throw new CadreError("invalid-argument", problem);
          restored.lastNumber += 1;
          const number = restored.lastNumber;
          registry.append(by.runId, { type: "board-changed", number, key: by.stepKey, change });
          board.apply(change, by.runId);
          made.set(authorKey(by), change);
          await registry.flushed();
          return change;
        },
      };
    },
  };
}

/**
 * Reads the board of a family from the journal: the changes of its team, after those of the earlier families of its conversation.
 * A task without an unfinished run that works on it is open.
 */
export async function readBoard(
  registry: Pick<Registry, "run" | "spec" | "family" | "events">,
  rootId: string,
): Promise<Board> {
  const { board } = await restoreBoard(registry, rootId);
  await releaseEnded(registry, board);
  return board;
}

interface RestoredBoard {
  board: Board;
  /** The changes, by the steps that made them. */
  made: Map<string, BoardChange>;
  lastNumber: number;
}

type BoardEvent = Extract<RunEvent, { type: "board-changed" }>;

async function restoreBoard(
  registry: Pick<Registry, "spec" | "family" | "events">,
  rootId: string,
): Promise<RestoredBoard> {
  const root = await registry.spec(rootId);
  const earlier = root === undefined ? [] : await readEarlierFamilyRuns(registry, root);
  const members = [...earlier, ...(await registry.family(rootId))].filter(({ team }) => team);
  const journals = await Promise.all(members.map(({ id }) => registry.events(id)));
  const changes = journals
    .flat()
    .filter((event): event is BoardEvent => event.type === "board-changed")
    .toSorted((left, right) => left.number - right.number);
  const restored: RestoredBoard = { board: createBoard(), made: new Map(), lastNumber: 0 };
  for (const { runId, key, number, change } of changes) {
    const { data } = recordedChange.safeParse(change);
    if (data === undefined) continue;
    restored.board.apply(change, runId);
    restored.made.set(authorKey({ runId, stepKey: key }), change);
    restored.lastNumber = number;
  }
  return restored;
}

/** The journal is untrusted. A change with another shape has no effect. */
const ids = z.array(z.string());
const recordedChange = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("add"),
    tasks: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        details: z.string().optional(),
        dependsOn: ids.optional(),
      }),
    ),
  }),
  z.object({ kind: z.literal("claim"), task: z.string() }),
  z.object({
    kind: z.literal("update"),
    task: z.string(),
    status: z.enum(["open", "done", "failed"]).optional(),
    result: z.string().optional(),
    dependsOn: ids.optional(),
  }),
]);

/** Reopens tasks whose runs have ended or were deleted. */
async function releaseEnded(registry: Pick<Registry, "run">, board: Board): Promise<void> {
  const holders = new Set(
    board.tasks().flatMap((task) => (task.status === "claimed" ? (task.claimedBy ?? []) : [])),
  );
  for (const id of holders) {
    const run = await registry.run(id);
    if (run === undefined || isTerminal(run.status)) board.release(id);
  }
}

function authorKey({ runId, stepKey }: BoardAuthor): string {
  return `${runId}/${stepKey}`;
}
