import { z } from "zod";
import { type QueueRequest, queueRequestSchema } from "../run/queue/queue-request.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import { jsonValue } from "../source/json-value.ts";

/** A request for a run under a name, which a program, a schedule or an HTTP client starts. */
export interface TriggerSetting {
  /** The request, as `POST /runs` takes it. Either this or `graph`. */
  start?: JsonObject;
  /** The path of a graph of runs. */
  graph?: string;
  /** How the graph waits for a worker. A `start` has its own. */
  queue?: QueueRequest;
  /** What the data of a start becomes: the input of the run (default), or the parameters of a recipe. */
  data?: "input" | "parameters";
  /** The environment variable with a secret that starts this trigger and gives no other right. */
  secretEnv?: string;
}

/** Starts a trigger at certain times. */
export interface ScheduleSetting {
  /** Five fields as in crontab, or six with seconds first. */
  cron: string;
  /** A time zone such as `Europe/Berlin`. Default: that of the machine. */
  timezone?: string;
  /** The name of the trigger. */
  trigger: string;
  /** The data of the start. */
  value?: JsonValue;
  /** What happens when a time passed while no process executed schedules: nothing (default), or one start. */
  missed?: "skip" | "once";
  /** What happens while the run of the time before has not ended: another one starts (default), or none. */
  overlap?: "allow" | "skip";
}

/** The names of what webhooks tell. */
export const webhookEvents = [
  "run-started",
  "run-finished",
  "question-asked",
  "question-answered",
] as const;

/** The events that a webhook sends. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Tells an HTTP server what happens to runs. */
export interface WebhookSetting {
  url: string;
  /** The environment variable with the secret that signs the requests. */
  secretEnv: string;
  /** Default: `run-finished` and `question-asked`. */
  events?: readonly WebhookEvent[];
  /** Whether it sends the starts and ends of descendants too. Default false. */
  descendants?: boolean;
}

const text = (): z.ZodString => z.string().min(1);
const variable = (): z.ZodString =>
  z.string().regex(/^[A-Za-z_]\w*$/, "the name of an environment variable is expected");

/** Creates the schema of a trigger. */
export const triggerSetting = (): z.ZodType<TriggerSetting> =>
  z
    .strictObject({
      start: z.looseObject({ agent: text() }).optional(),
      graph: text().optional(),
      queue: queueRequestSchema.optional(),
      data: z.enum(["input", "parameters"]).optional(),
      secretEnv: variable().optional(),
    })
    .superRefine(({ start, graph, queue, data }, context) => {
      if ((start === undefined) === (graph === undefined)) {
        context.addIssue({ code: "custom", message: "either a start or a graph is expected" });
      }
      if (start !== undefined && queue !== undefined) {
        const message = "the queue of a start is expected within `start`";
        context.addIssue({ code: "custom", message, path: ["queue"] });
      }
      if (graph !== undefined && data !== undefined) {
        context.addIssue({ code: "custom", message: "a graph takes no data", path: ["data"] });
      }
    }) as z.ZodType<TriggerSetting>;

/** Creates the schema of a schedule. */
export const scheduleSetting = (): z.ZodType<ScheduleSetting> =>
  z.strictObject({
    cron: z
      .string()
      .regex(/^\s*(?:@\w+|(?:\S+\s+){4,5}\S+)\s*$/, "five fields such as `0 3 * * *` are expected"),
    timezone: z
      .string()
      .refine(isTimeZone, "a time zone such as Europe/Berlin is expected")
      .optional(),
    trigger: text(),
    value: jsonValue.optional(),
    missed: z.enum(["skip", "once"]).optional(),
    overlap: z.enum(["allow", "skip"]).optional(),
  }) as z.ZodType<ScheduleSetting>;

/** Creates the schema of a webhook. */
export const webhookSetting = (): z.ZodType<WebhookSetting> =>
  z.strictObject({
    url: z.string().regex(/^https?:\/\//, "an http or https URL is expected"),
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
