/** A task as a member of a team adds it to the board. */
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
      /** `open` gives the task back, or opens one that failed again. */
      status?: "open" | "done" | "failed";
      result?: string;
      /** Replaces the list. */
      dependsOn?: readonly string[];
    };
