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
  /** What the data of a start becomes; `null` = it takes none. */
  data: "input" | "parameters" | null;
  /** Whether a secret of its own starts it over HTTP. */
  hasSecret: boolean;
}

/** A schedule of the configuration. */
export interface Schedule {
  name: string;
  cron: string;
  /** The time zone of `cron`. */
  timezone: string;
  trigger: string;
  /** Epoch milliseconds of its next time; `null` = there is none, or `problem` prevents it. */
  nextAt: number | null;
  /** The run that it started last. */
  lastRunId: string | null;
  /** Why it cannot be executed; `null` = it can. */
  problem: string | null;
}

/** A webhook of the configuration. */
export interface Webhook {
  name: string;
  events: readonly WebhookEvent[];
  /** How many messages failed and are repeated, while later ones are sent. */
  repeated: number;
  /** The message that fails longest; `null` = none failed. */
  failing: { webhookId: string; attempts: number; since: number; reason: string } | null;
  /** Why it is not sent at all; `null` = it is. */
  problem: string | null;
}

/** The triggers, schedules and webhooks of the configuration (docs/automation.md). */
export interface Automation {
  /**
   * Starts what the trigger `name` describes, with `data`. A request with the `id` of a run that exists is refused.
   *
   * @throws CadreError `invalid-argument` when there is no such trigger, or it takes no such data; and what `Cadre.spawn` throws.
   */
  start(name: string, options?: { data?: JsonValue; id?: string }): Promise<RunHandle>;
  /** Reports whether `secret` gives the right to start the trigger `name`. */
  permits(name: string, secret: string): boolean;
  triggers(): Trigger[];
  schedules(): Promise<Schedule[]>;
  webhooks(): Promise<Webhook[]>;
  /**
   * Executes the schedules and sends the webhooks until `signal` aborts. Of several processes that do this for the same registry,
   * one does the work, and another one takes over when it ends. `onNote` receives a line about each start, and each failure.
   */
  execute(options: { signal: AbortSignal; onNote?: (line: string) => void }): Promise<void>;
}
