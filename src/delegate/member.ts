import type { RunSpec } from "../run/run.ts";

/** What has to be known of a run to tell who waits for whom. */
export type Member = Pick<RunSpec, "id" | "parentId" | "agent" | "label" | "dependsOn"> &
  Pick<RunSpec, "sequence" | "detached">;
