import { z } from "zod";
import { type Cadre, CadreError, closedObject, type PositionedEvent } from "../../host.ts";
import { streamEvents, wantsEvents } from "../http/event-stream.ts";
import { chooseEncoding } from "../http/stream-encoding.ts";
import type { SentEvent } from "../http/sent-event.ts";
import { defineRoute, queryFlag, queryNumber, type Route } from "../http/route.ts";
import { eventSchema, partSchema } from "../http/schemas.ts";
import { readRootId } from "./view-run.ts";

const limit = queryNumber(1, 1000).default(200);

const readRunEvents = defineRoute({
  method: "GET",
  path: "/runs/{run}/events",
  operation: "readRunEvents",
  summary:
    "Returns the journal of a run after the event `after`. With `Accept: text/event-stream` it sends the events live until the run ends; the header Last-Event-ID continues a broken stream.",
  query: closedObject({ after: queryNumber(0, Number.MAX_SAFE_INTEGER).default(0), limit }),
  answer: z.object({ events: z.array(eventSchema), last: z.int() }),
  events: true,
  async handle({ services, param, query: { after, limit: most }, request }) {
    const run = await services.cadre.find(param("run"));
    if (!wantsEvents(request)) {
      const events = await run.journal({ after, limit: most });
      return { json: { events, last: events.at(-1)?.seq ?? after } };
    }
    const begin = readLastSeq(request) ?? after;
    return streamEvents(services, request, async function* (signal): AsyncGenerator<SentEvent> {
      for await (const event of run.events({ after: begin, signal })) {
        yield { id: String(event.seq), type: event.type, data: event };
      }
    });
  },
});

function readLastSeq(request: Request): number | undefined {
  const text = request.headers.get("last-event-id");
  if (text === null || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const detail = `Expected the header Last-Event-ID to be the number of an event; got ${JSON.stringify(text)}.`;
  throw new CadreError("invalid-argument", detail);
}

const readEvents = defineRoute({
  method: "GET",
  path: "/events",
  operation: "readEvents",
  summary:
    "Returns the events of all runs, of every process, after a position (default: from the beginning). With `Accept: text/event-stream` it sends them live, by default only new ones; the header Last-Event-ID continues a broken stream.",
  query: closedObject({
    after: z
      .string()
      .optional()
      .describe("A position: the `position` in a response, or an id in a stream."),
    root: z.string().min(1).optional().describe("Only events of this run's family."),
    limit,
  }),
  answer: z.object({
    events: z.array(z.object({ position: z.string(), event: eventSchema })),
    position: z.string(),
  }),
  events: true,
  async handle({ services, query: { after, root, limit: most }, request }) {
    const { cadre, feed } = services;
    if (!wantsEvents(request)) {
      const isWanted = await selectFamily(cadre, root);
      return { json: await readPart(cadre, { after: after ?? "", isWanted, most }) };
    }
    const begin = request.headers.get("last-event-id") ?? after;
    const family = root === undefined ? undefined : await readRootId(cadre, root);
    const encoding = chooseEncoding(request);
    return streamEvents(
      services,
      request,
      (signal) => feed.follow({ after: begin, root: family, encoding }, signal),
      encoding,
    );
  },
});

type IsWanted = (positioned: PositionedEvent) => boolean;

/** Returns a filter for the events of one family. It learns about later runs from their first event. */
async function selectFamily(cadre: Cadre, root: string | undefined): Promise<IsWanted> {
  if (root === undefined) return () => true;
  const rootId = await readRootId(cadre, root);
  const family = new Set((await cadre.tree(rootId)).map(({ id }) => id));
  return ({ event }) => {
    if (event.type === "run-created" && event.spec.rootId === rootId) family.add(event.runId);
    return family.has(event.runId);
  };
}

async function readPart(
  cadre: Cadre,
  { after, isWanted, most }: { after: string; isWanted: IsWanted; most: number },
): Promise<{ events: PositionedEvent[]; position: string }> {
  const events: PositionedEvent[] = [];
  let position = after;
  for await (const positioned of cadre.events({ after, live: false })) {
    const { event } = positioned;
    ({ position } = positioned);
    if (isWanted(positioned)) events.push({ position, event });
    if (events.length >= most) break;
  }
  return { events, position };
}

const streamRun = defineRoute({
  method: "GET",
  path: "/runs/{run}/stream",
  operation: "streamRun",
  summary:
    "Sends the conversation of a run as server-sent events until it ends: texts and tool calls, in pieces as they arrive. A new request starts from the beginning.",
  query: closedObject({
    descendants: queryFlag.optional().describe("Send the output of all descendants too."),
  }),
  answer: partSchema,
  events: true,
  async handle({ services, param, query: { descendants = false }, request }) {
    const run = await services.cadre.find(param("run"));
    return streamEvents(services, request, async function* (signal): AsyncGenerator<SentEvent> {
      for await (const part of run.stream({ descendants, signal })) {
        yield { type: part.type, data: part };
      }
    });
  },
});

/** The routes that send events. */
export const eventRoutes: readonly Route[] = [readRunEvents, readEvents, streamRun];
