import { z } from "zod";
import { defineRoute, type Route } from "../http/route.ts";

const name = z.string();
const text = z.string().nullable();
const time = z.int().nullable().describe("Epoch milliseconds.");

const listTriggers = defineRoute({
  method: "GET",
  path: "/triggers",
  operation: "listTriggers",
  summary: "Lists the configured triggers and the requests that they start.",
  answer: z.object({
    triggers: z.array(
      z.looseObject({ name, agent: text, recipe: text, graph: text, hasSecret: z.boolean() }),
    ),
  }),
  handle: ({ services: { cadre } }) =>
    Promise.resolve({ json: { triggers: cadre.automation.triggers() } }),
});

const listSchedules = defineRoute({
  method: "GET",
  path: "/schedules",
  operation: "listSchedules",
  summary: "Lists the configured schedules, with their next times and last runs.",
  answer: z.object({
    schedules: z.array(
      z.looseObject({
        name,
        cron: z.string(),
        timezone: z.string(),
        trigger: name,
        nextAt: time,
        lastRunId: text,
        problem: text,
      }),
    ),
  }),
  handle: async ({ services: { cadre } }) => ({
    json: { schedules: await cadre.automation.schedules() },
  }),
});

const listWebhooks = defineRoute({
  method: "GET",
  path: "/webhooks",
  operation: "listWebhooks",
  summary: "Lists the configured webhooks and their failures, without their addresses.",
  answer: z.object({
    webhooks: z.array(
      z.looseObject({ name, events: z.array(z.string()), repeated: z.int(), problem: text }),
    ),
  }),
  handle: async ({ services: { cadre } }) => ({
    json: { webhooks: await cadre.automation.webhooks() },
  }),
});

/** The routes of the configured automation. */
export const automationRoutes: readonly Route[] = [listTriggers, listSchedules, listWebhooks];
