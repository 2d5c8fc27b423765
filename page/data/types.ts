// The types of the API's answers.

import type { RunStreamPart } from "../../src/runtime/stream/stream-part.ts";

export type { ServedAgent, ServedRun, UsagePeriod } from "../../src/client.ts";
export type { RunEvent } from "../../src/run/event.ts";
export type { RunStatus } from "../../src/run/run.ts";
export type { Conversation } from "../../src/runtime/conversation.ts";
export type { Question } from "../../src/runtime/question.ts";
export type { Diagnostic } from "../../src/source/diagnostic.ts";
export type { RunStreamPart };

/** A part of a conversation that an element shows. */
export type PartOf<Type extends RunStreamPart["type"]> = Extract<RunStreamPart, { type: Type }>;
