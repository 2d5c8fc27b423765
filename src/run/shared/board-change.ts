/** A new task from a member of a team. */
export interface NewBoardTask {
  /** Unique on the board. */
  id: string;
  /** One line. */
  title: string;
  details?: string;
  /** The ids of the tasks that must be done before it can be claimed. */
  dependsOn?: readonly string[];
}

/** A change of a team's board. Plain JSON, recorded in the journal of the run that made it. */
export type BoardChange =
  | { kind: "add"; tasks: readonly NewBoardTask[] }
  | { kind: "claim"; task: string }
  | {
      kind: "update";
      task: string;
      /** `open` gives the task back, or reopens a failed one. */
      status?: "open" | "done" | "failed";
      result?: string;
      /** Replaces the dependencies. */
      dependsOn?: readonly string[];
    };
