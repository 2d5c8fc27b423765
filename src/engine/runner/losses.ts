import { nameRunner } from "../../agent/runner.ts";
import type { RunSpec } from "../../run/run.ts";
import { askedTools } from "./permission-request.ts";
import type { Session } from "../session.ts";
import { strictestMode } from "./seat.ts";

/** What a run asks for that cannot be had in a runner, for the warnings of its result. */
export function describeLosses({ spec, definition, budget }: Session): string[] {
  const { effort, maxTurns, agents, tools, disallowedTools, runner = "" } = definition;
  const head = `Agent ${spec.agent} runs in ${nameRunner(runner)}`;
  const without = [
    ...(spec.temperature === null ? [] : ["temperature"]),
    ...(effort === undefined ? [] : ["effort"]),
    ...(maxTurns === undefined ? [] : ["max_turns"]),
    ...(agents === undefined ? [] : ["agents (it cannot delegate from there)"]),
    ...(spec.cache === true ? ["cache"] : []),
  ];
  const mode = strictestMode(spec);
  const asked = [
    ...(tools === undefined && hasAll(spec) ? [] : ["its list of tools"]),
    ...(disallowedTools === undefined ? [] : ["its disallowed tools"]),
    ...(["plan", "read-only", "deny"].includes(mode) ? [`the mode ${mode}`] : []),
  ];
  const budgets = (["tokens", "usd"] as const).filter((name) => budget.pools[name] !== undefined);
  return [
    ...(without.length === 0
      ? []
      : [`${head}, where these have no effect: ${without.join(", ")}.`]),
    ...(asked.length === 0
      ? []
      : [
          `${head}, a program with your rights, so only what it asks permission for is bound by ${asked.join(" and ")}.`,
        ]),
    ...(budgets.length === 0
      ? []
      : [
          `${head}, so the budget's ${budgets.join(" and ")} cannot be kept: what it takes is known afterwards, if at all.`,
        ]),
  ];
}

/** Whether the parent has everything that a runner may ask for. */
function hasAll({ parentTools }: RunSpec): boolean {
  return parentTools === null || askedTools.every((tool) => parentTools.includes(tool));
}
