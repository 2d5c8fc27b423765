import type { RunStreamPart } from "../../host.ts";

/** A stream part of the given type. */
export type PartOf<Type extends RunStreamPart["type"]> = RunStreamPart & { type: Type };
