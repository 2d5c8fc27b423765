import { nameRunner } from "../../agent/fields/runner.ts";
import type { RunSpec } from "../../run/run.ts";
import { askedTools } from "./permission-request.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { strictestMode } from "./runner-process.ts";

/** Lists settings of a run that a runner does not support, for the warnings of its result. */
export function describeUnsupportedSettings({ spec, definition, budget }: RunContext): string[] {
  const { effort, maxTurns, agents, tools, disallowedTools, runner = "" } = definition;
  const head = `Agent ${spec.agent} runs in ${nameRunner(runner)}`;
  const without = [
    ...(spec.temperature === null ? [] : ["temperature"]),
    ...(effort === undefined ? [] : ["effort"]),
    ...(definition.memory === undefined ? [] : ["memory"]),
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
          `${head}, a program with your rights, so only actions for which it asks permission are subject to ${asked.join(" and ")}.`,
        ]),
    ...(budgets.length === 0
      ? []
      : [
          `${head}, so the budget's ${budgets.join(" and ")} cannot be enforced: its usage is known only afterwards, if at all.`,
        ]),
  ];
}

/** Reports whether the parent has every tool that a runner may use. */
function hasAll({ parentTools }: RunSpec): boolean {
  return parentTools === null || askedTools.every((tool) => parentTools.includes(tool));
}
