import type { JsonObject } from "../source/json.ts";

/** What a delegation put into the shared context of the run it asked for; the run also sees what its ancestors were given. */
export interface SharedContext {
  values: JsonObject;
  /** Keys whose value is the result of another run, by that run's id; the run depends on it. */
  references: Readonly<Record<string, string>>;
}
