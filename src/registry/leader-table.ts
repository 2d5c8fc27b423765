import type { JsonValue } from "../source/json.ts";

/** Work that one process at a time does for all that share the store, such as starting runs at their times. */
export interface LeaderTable {
  /**
   * Makes this process the one that does `work`, unless a living one does. Resolves with what was last saved of it (`null`: nothing),
   * or with `undefined` when another process does it. The writes of a process that is replaced fail from then on.
   */
  lead(work: string): Promise<{ saved: JsonValue } | undefined>;
  /** Saves how far the work is. Resolves with `false` when another process does it now. */
  save(work: string, state: JsonValue): Promise<boolean>;
  /** Returns what was last saved of `work`; `null` = nothing. */
  read(work: string): Promise<JsonValue>;
}
