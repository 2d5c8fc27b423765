import type { WebhookEvent, WebhookSetting } from "../../config/automation-setting.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEvent, RunEventType } from "../../run/event.ts";
import type { WebhookMessage } from "./sign-webhook.ts";

/** The types of webhook messages, by the type of the event. */
const webhookEvents: Readonly<Partial<Record<RunEventType, WebhookEvent>>> = {
  "run-started": "run-started",
  "run-finished": "run-finished",
  "approval-requested": "question-asked",
  "approval-answered": "question-answered",
};

/** The events that a webhook sends by default. */
export const defaultEvents: readonly WebhookEvent[] = ["run-finished", "question-asked"];

/** Returns the message for an event; `undefined` when the webhook sends none. */
export async function toWebhookMessage(
  registry: Pick<Registry, "run" | "figures">,
  { events = defaultEvents, descendants = false }: WebhookSetting,
  event: RunEvent,
): Promise<WebhookMessage | undefined> {
  const type = webhookEvents[event.type];
  if (type === undefined || !events.includes(type)) return undefined;
  const run = await registry.run(event.runId);
  // A run that was deleted in the meantime has no message.
  if (run === undefined) return undefined;
  const isQuestion = type === "question-asked" || type === "question-answered";
  if (run.parentId !== null && !descendants && !isQuestion) return undefined;
  const { runId, seq, at, type: _, ...details } = event;
  const body = {
    type,
    timestamp: new Date(at).toISOString(),
    data: { run: await readOverview(registry, run), ...(isQuestion && { question: details }) },
  };
  return { id: `${runId}.${seq}`, body: JSON.stringify(body) };
}
