import type { RunSpec } from "../../run/run.ts";

/** The fields of a run that determine which runs wait for each other. */
export type FamilyRun = Pick<RunSpec, "id" | "parentId" | "agent" | "label" | "dependsOn"> &
  Pick<RunSpec, "sequence" | "detached">;
