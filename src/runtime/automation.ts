import type { RunHandle } from "./run-handle.ts";
import type { WebhookEvent } from "../config/automation-setting.ts";
import type { JsonValue } from "../source/json.ts";

/** A trigger of the configuration. */
export interface Trigger {
  name: string;
  /** The agent that it starts; `null` for a graph, and when the request names none. */
  agent: string | null;
  /** The recipe that it starts; `null` = none. */
  recipe: string | null;
  /** The file of the graph that it starts; `null` = none. */
  graph: string | null;
  /** How it uses the data of a start; `null` = it takes no data. */
  data: "input" | "parameters" | null;
  /** Whether it has its own secret for starts over HTTP. */
  hasSecret: boolean;
}

/** A schedule of the configuration. */
export interface Schedule {
  name: string;
  cron: string;
  /** The time zone of `cron`. */
  timezone: string;
  trigger: string;
  /** Its next time in epoch milliseconds; `null` = there is none, or `problem` prevents it. */
  nextAt: number | null;
  /** The last run that it started. */
  lastRunId: string | null;
  /** Why it cannot be executed; `null` = it can. */
  problem: string | null;
}

/** A webhook of the configuration. */
export interface Webhook {
  name: string;
  events: readonly WebhookEvent[];
  /** The number of failed messages that are retried while later ones are sent. */
  repeated: number;
  /** The message that has been failing longest; `null` = none failed. */
  failing: { webhookId: string; attempts: number; since: number; reason: string } | null;
  /** Why a process with this environment sends no message; `null` = it sends messages. */
  problem: string | null;
}

/** The triggers, schedules and webhooks of the configuration (docs/automation.md). */
export interface Automation {
  /**
   * Starts the run or the graph of the trigger `name` with `data`. Refuses the `id` of an existing run.
   *
   * @throws CadreError `invalid-argument` when there is no such trigger, or it takes no such data; and the errors of
   * `Cadre.spawn`.
   */
  start(name: string, options?: { data?: JsonValue; id?: string }): Promise<RunHandle>;
  /** Reports whether `secret` permits a start of the trigger `name`. */
  permits(name: string, secret: string): boolean;
  triggers(): Trigger[];
  schedules(): Promise<Schedule[]>;
  webhooks(): Promise<Webhook[]>;
  /**
   * Executes the schedules and sends the webhooks until `signal` aborts. Among several processes of the same registry, one does
   * the work; when it ends, another one takes over. `onNote` receives a line about each start, and each failure.
   */
  execute(options: { signal: AbortSignal; onNote?: (line: string) => void }): Promise<void>;
}
