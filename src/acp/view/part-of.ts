import type { RunStreamPart } from "../../host.ts";

/** A part of the stream of a run, of one type. */
export type PartOf<Type extends RunStreamPart["type"]> = RunStreamPart & { type: Type };
