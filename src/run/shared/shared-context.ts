// Data that runs of a family share: values of the context, and changes to a team's board.

import type { JsonObject } from "../../source/json.ts";

/** The layer that a delegation adds to the shared context of its run. The context also has the layers of the run's ancestors. */
export interface SharedContext {
  values: JsonObject;
  /** Keys whose value is the result of another run, with that run's id. The run depends on them. */
  references: Readonly<Record<string, string>>;
}
