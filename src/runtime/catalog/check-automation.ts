import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import { findScheduleProblem } from "../automation/schedule/find-schedule-problem.ts";
import { describeUnknownModel } from "./check-config-models.ts";
import { locateSetting } from "./locate-setting.ts";

/** Options of {@link checkAutomation}. */
export interface AutomationCheckOptions {
  /** The folder of the project, absolute. */
  cwd: string;
  configuration: Pick<LoadedConfig, "config" | "sources">;
  /** The names of the agents and recipes that can be run. */
  agents: readonly string[];
}

/**
 * Checks what the triggers and schedules of the configuration name: agents, models, graphs, triggers and times. Nobody may be there to read the
 * error when a schedule is due.
 */
export function checkAutomation({
  cwd,
  configuration: { config, sources },
  agents,
}: AutomationCheckOptions): Diagnostic[] {
  const { triggers, schedules, models } = config;
  const ofTriggers = Object.entries(triggers).map(([name, { start, graph }]) => ({
    key: `triggers.${name}`,
    problem:
      start === undefined
        ? findGraphProblem(cwd, graph)
        : (findAgentProblem(start["agent"], agents) ?? describeWrongModel(start["model"], models)),
  }));
  const ofSchedules = Object.entries(schedules).map(([name, schedule]) => ({
    key: `schedules.${name}`,
    problem: findScheduleProblem(schedule, triggers),
  }));
  return [...ofTriggers, ...ofSchedules].flatMap(({ key, problem }) => {
    if (problem === null) return [];
    const finding = { severity: "error", code: "automation-invalid", fix: null } as const;
    const message = `\`${key}\` cannot start anything: ${problem}`;
    return [{ ...locateSetting(sources, key), ...finding, message }];
  });
}

function findGraphProblem(cwd: string, graph: string = ""): string | null {
  const path = resolve(cwd, graph);
  return existsSync(path) ? null : `Expected the file of a graph at ${path}, but nothing is there.`;
}

/** A name with a slash or a dot may be the path of a file, which the request reads. */
function findAgentProblem(agent: unknown, agents: readonly string[]): string | null {
  if (typeof agent !== "string" || agents.includes(agent) || /[/.@]/.test(agent)) return null;
  return `There is no agent ${agent}.${didYouMean(agent, agents)}`;
}

function describeWrongModel(model: unknown, models: Config["models"]): string | null {
  return typeof model === "string" ? describeUnknownModel(model, models) : null;
}
