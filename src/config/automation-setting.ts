import { z } from "zod";
import { type QueueRequest, queueRequestSchema } from "../run/queue/queue-request.ts";
import { closedObject } from "../source/closed-object.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import { jsonValue } from "../source/json-value.ts";
import { expecting, expectingPublic } from "./secret-value.ts";

/** A named request for a run. A program, a schedule or an HTTP client starts it. */
export interface TriggerSetting {
  /** The request, in the form that `POST /runs` accepts. Either `start` or `graph` is set. */
  start?: JsonObject;
  /** The path of a graph of runs. */
  graph?: string;
  /** How the graph waits for a worker. A `start` has its own queue. */
  queue?: QueueRequest;
  /** How the data of a start is used: as the run's input (default) or as the parameters of a recipe. */
  data?: "input" | "parameters";
  /** The environment variable with a secret that starts this trigger and gives no other right. */
  secretEnv?: string;
}

/** Starts a trigger at given times. */
export interface ScheduleSetting {
  /** Five fields as in crontab, or six with seconds first. */
  cron: string;
  /** A time zone such as `Europe/Berlin`. Default: the time zone of the machine. */
  timezone?: string;
  /** The name of the trigger. */
  trigger: string;
  /** The data of the start. */
  value?: JsonValue;
  /** What to do about a time that passed while no process executed schedules: nothing (default), or one start. */
  missed?: "skip" | "once";
  /** What to do when the previous run has not ended: start another one (default), or none. */
  overlap?: "allow" | "skip";
}

/** The names of webhook events. */
export const webhookEvents = [
  "run-started",
  "run-finished",
  "question-asked",
  "question-answered",
] as const;

/** The events that a webhook sends. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Tells an HTTP server about events of runs. */
export interface WebhookSetting {
  url: string;
  /** The environment variable with the secret that signs the requests. */
  secretEnv: string;
  /** The events to send. Default: `run-finished` and `question-asked`. */
  events?: readonly WebhookEvent[];
  /** Whether to send the starts and ends of descendants too. Default false. */
  descendants?: boolean;
}

const text = (): z.ZodString => z.string().min(1);
const variable = (): z.ZodString =>
  z
    .string()
    .regex(
      /^[A-Za-z_]\w*$/,
      expecting("the name of an environment variable such as `HOOK_SECRET`"),
    );

/** Creates the schema of a trigger. */
export const triggerSetting = (): z.ZodType<TriggerSetting> =>
  closedObject({
    start: z.looseObject({ agent: text() }).optional(),
    graph: text().optional(),
    queue: queueRequestSchema.optional(),
    data: z.enum(["input", "parameters"]).optional(),
    secretEnv: variable().optional(),
  }).superRefine(({ start, graph, queue, data }, context) => {
    if ((start === undefined) === (graph === undefined)) {
      context.addIssue({
        code: "custom",
        message: `expected \`start\` or \`graph\`, got ${start === undefined ? "neither" : "both"}`,
      });
    }
    if (start !== undefined && queue !== undefined) {
      const message = "expected the queue of a start within `start`, got it beside `start`";
      context.addIssue({ code: "custom", message, path: ["queue"] });
    }
    if (graph !== undefined && data !== undefined) {
      context.addIssue({ code: "custom", message: "a graph takes no data", path: ["data"] });
    }
  }) as z.ZodType<TriggerSetting>;

/** Creates the schema of a schedule. */
export const scheduleSetting = (): z.ZodType<ScheduleSetting> =>
  closedObject({
    cron: z
      .string()
      .regex(
        /^\s*(?:@\w+|(?:\S+\s+){4,5}\S+)\s*$/,
        expectingPublic("five fields such as `0 3 * * *`"),
      ),
    timezone: z
      .string()
      .refine(isTimeZone, expectingPublic("a time zone such as Europe/Berlin"))
      .optional(),
    trigger: text(),
    value: jsonValue.optional(),
    missed: z.enum(["skip", "once"]).optional(),
    overlap: z.enum(["allow", "skip"]).optional(),
  }) as z.ZodType<ScheduleSetting>;

/** Creates the schema of a webhook. */
export const webhookSetting = (): z.ZodType<WebhookSetting> =>
  closedObject({
    url: z.string().regex(/^https?:\/\//, expecting("an http or https URL")),
    secretEnv: variable(),
    events: z.array(z.enum(webhookEvents)).min(1).optional(),
    descendants: z.boolean().optional(),
  }) as z.ZodType<WebhookSetting>;

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).format() !== "";
  } catch {
    return false;
  }
}
