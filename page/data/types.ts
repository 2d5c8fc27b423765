/** The types of the API's responses. */

import type { RunStreamPart } from "../../src/runtime/stream/stream-part.ts";

export type { EvalReport, Trial, CaseReport } from "../../src/eval/eval-report.ts";
export type { LoadedCase } from "../../src/eval/eval-file.ts";
export type { EvalOverview, RecordedEval } from "../../src/runtime/eval/recorded-evals.ts";
export type { ServedAgent, ServedRun, UsagePeriod } from "../../src/client.ts";
export type { Recipe, RecipeParameter } from "../../src/recipe/recipe.ts";
export type { RunArtifact } from "../../src/runtime/artifact/artifact.ts";
export type { Schedule, Trigger, Webhook } from "../../src/runtime/automation.ts";
export type { RunEvent } from "../../src/run/event.ts";
export type { RunStatus } from "../../src/run/run.ts";
export type { Question } from "../../src/runtime/question.ts";
export type { Diagnostic } from "../../src/source/diagnostic.ts";
export type { RunStreamPart };
export type { RunSpec } from "../../src/run/run.ts";
export type { RunSteps, StepSpan } from "../../src/run/timeline/steps.ts";

/** A part of a conversation that an element shows. */
export type StreamPartOf<Type extends RunStreamPart["type"]> = Extract<
  RunStreamPart,
  { type: Type }
>;
