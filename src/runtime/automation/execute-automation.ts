import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../../config/config.ts";
import type { Registry } from "../../registry/registry.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { runSchedules } from "./run-schedules.ts";
import { findScheduleProblem } from "./schedule/find-schedule-problem.ts";
import type { TriggerStart } from "./start-trigger.ts";
import { errorMessage } from "../../error-message.ts";

/** Options of {@link executeAutomation}. */
export interface ExecuteAutomationOptions {
  config: Pick<Config, "triggers" | "schedules" | "webhooks">;
  environment: Readonly<Record<string, string | undefined>>;
  /** Distinguishes projects that share a registry. */
  project: string;
  /** Opens the registry, and reopens it after a failure. */
  open: () => Promise<Registry>;
  start: (trigger: string, given: TriggerStart) => Promise<unknown>;
  /** Gives the workers a run that was recorded for them, if they do not have it. */
  submitAgain: (id: string) => Promise<void>;
  signal: AbortSignal;
  onNote: (line: string) => void;
}

/** Does one part of the work that is due. Resolves with the milliseconds until the next call. */
type Part = (registry: Registry) => Promise<number>;

/** The pause after a failure of the registry, in milliseconds. */
const failureMs = 5000;

/** See `Automation.execute`. */
export async function executeAutomation(options: ExecuteAutomationOptions): Promise<void> {
  const parts = [...schedulesOf(options), ...webhooksOf(options)];
  await Promise.all(parts.map(async (part) => await repeat(part, options)));
}

function schedulesOf(options: ExecuteAutomationOptions): Part[] {
  const { config, project, start, submitAgain, onNote } = options;
  const { schedules, triggers } = config;
  for (const [name, schedule] of Object.entries(schedules)) {
    const problem = findScheduleProblem(schedule, triggers);
    if (problem !== null) onNote(`The schedule ${name} is not executed. ${problem}`);
  }
  if (Object.keys(schedules).length === 0) return [];
  return [
    async (registry) =>
      await runSchedules({
        project,
        schedules,
        triggers,
        registry,
        start: async ({ trigger, value }, id) => void (await start(trigger, { data: value, id })),
        submitAgain,
        now: Date.now,
        onNote,
      }),
  ];
}

function webhooksOf({
  config,
  environment,
  project,
  signal,
  onNote,
}: ExecuteAutomationOptions): Part[] {
  return Object.entries(config.webhooks).flatMap(([name, setting]) => {
    const secret = environment[setting.secretEnv] ?? "";
    if (secret === "") {
      onNote(`The webhook ${name} is not sent. Expected its secret in ${setting.secretEnv}.`);
      return [];
    }
    return async (registry: Registry) =>
      await deliverWebhook({ name, project, setting, secret, registry, signal, onNote });
  });
}

/** Calls `part` repeatedly until `signal` aborts. Notes a failure and continues. */
async function repeat(
  part: Part,
  { open, signal, onNote }: ExecuteAutomationOptions,
): Promise<void> {
  let lastMessage = "";
  async function once(): Promise<number> {
    try {
      const pauseMs = await part(await open());
      lastMessage = "";
      return pauseMs;
    } catch (error) {
      const message = errorMessage(error);
      if (!signal.aborted && message !== lastMessage) onNote(message);
      lastMessage = message;
      return failureMs;
    }
  }
  while (!signal.aborted) {
    const pauseMs = await once();
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
