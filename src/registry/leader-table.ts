import type { JsonValue } from "../source/json.ts";

/** Work that one process at a time does for all processes of the store, such as starting scheduled runs. */
export interface LeaderTable {
  /**
   * Makes this process the leader of `work`, unless a live process is. Resolves with the last saved state (`null`: none), or with
   * `undefined` when another process is the leader. The writes of a replaced leader fail.
   */
  lead(work: string): Promise<{ saved: JsonValue } | undefined>;
  /** Saves the progress of the work. Resolves with `false` when another process is the leader now. */
  save(work: string, state: JsonValue): Promise<boolean>;
  /** Returns the last saved state of `work`; `null` = none. */
  read(work: string): Promise<JsonValue>;
}
