import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import { defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import type { ChosenModel } from "./choose-model.ts";
import { chooseTemperature } from "./choose-temperature.ts";
import type { Assignment, Origin } from "../assignment.ts";

/** Explains the origin of each setting of a run: the call, the definition, the parent or the default. */
export function explainSettings(
  assignment: Assignment,
  chosen: ChosenModel,
  origin: Origin | undefined,
): Readonly<Record<string, string>> {
  const { definition, model, timeoutSeconds, extensions, budget } = assignment;
  const own = `the ${agentKindOf(definition.source).fileNoun}`;
  const above = origin === undefined ? "the configuration" : "the parent";
  const isDefaultTimeout = definition.timeoutSeconds === defaultTimeoutSeconds;
  const choose = (asked: unknown, defined: unknown, rest: string): string =>
    asked !== undefined ? "the call" : defined !== undefined ? own : rest;
  const isFallback = model === undefined && chosen.warnings.length > 0;
  return {
    model: isFallback
      ? `${above}: that of ${own} cannot be used`
      : choose(model, definition.model, above),
    ...(chosen.fallbacks !== undefined && {
      fallbacks: choose(assignment.fallbacks, definition.fallbacks, above),
    }),
    temperature: chooseTemperature(assignment, chosen, origin).from,
    timeout: choose(
      timeoutSeconds,
      isDefaultTimeout ? undefined : definition.timeoutSeconds,
      "the default",
    ),
    extensions: choose(extensions, definition.extensions, above),
    budget: choose(budget, definition.budget, origin === undefined ? "none" : "the parent"),
  };
}
