import type { RunSpec } from "../../run/run.ts";

/** The fields of a run that decide which run waits for which. */
export type FamilyRun = Pick<RunSpec, "id" | "parentId" | "agent" | "label" | "dependsOn"> &
  Pick<RunSpec, "sequence" | "detached">;
