// What the routes of the API share: schemas, problems, idempotency and event streams.

import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ApiProject, Cadre, RecipeSearch } from "../../host.ts";
import type { EvalJobs } from "../eval/eval-jobs.ts";
import type { EventFeed } from "./event-feed.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import type { SharedAnswers } from "./shared-answers.ts";

/** The services of the routes. */
export interface RouteServices {
  cadre: Cadre;
  recipes: RecipeSearch;
  /** All projects of the server. */
  projects: readonly ApiProject[];
  /** Creates a code that signs one browser in. */
  createCode: () => string;
  idempotency: IdempotencyStore;
  feed: EventFeed;
  evals: EvalJobs;
  shared: SharedAnswers;
  /** The number of open event streams. */
  streams: { open: number };
  /** Aborts when the server ends. */
  ending: AbortSignal;
}

/** A project that the server serves. */
export interface ServedProject extends ApiProject {
  services: RouteServices;
}

/** A checked request. */
export interface RouteCall<Query, Body> {
  services: RouteServices;
  /** Returns a variable of the path, decoded. */
  param(name: string): string;
  query: Query;
  body: Body;
  request: Request;
}

/** What a route returns: a value that is sent as JSON, or a response of its own. */
export type RouteAnswer = Response | { status?: 200 | 201; json: unknown };

/** A route of the API. Its schemas check requests, and describe it. */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** Below `/api/v1`, with variables such as `{run}`. */
  path: string;
  /** One of the names that clients generate functions from. */
  operation: string;
  summary: string;
  query: z.ZodType | null;
  body: z.ZodType | null;
  /** The description and schema of a success. */
  answer: { status: 200 | 201; schema: z.ZodType; events?: boolean; isFile?: boolean };
  /** It starts a run, and takes the header Idempotency-Key. */
  starts: boolean;
  /** Requests at the same time may share an answer. */
  isShared: boolean;
  /** It is about the server, so that no project stands before it. */
  isOfServer: boolean;
  handle: (call: RouteCall<never, never>) => Promise<RouteAnswer>;
}

/** A route as it is written, whose handler gets what its schemas give. */
interface RouteGiven<Query extends z.ZodType, Body extends z.ZodType> {
  method: Route["method"];
  path: string;
  operation: string;
  summary: string;
  query?: Query;
  body?: Body;
  answer: z.ZodType;
  status?: 201;
  /** It can answer as `text/event-stream`. */
  events?: boolean;
  /** It answers with a file, and not with JSON. */
  isFile?: boolean;
  starts?: boolean;
  isShared?: boolean;
  isOfServer?: boolean;
  handle: (call: RouteCall<z.output<Query>, z.output<Body>>) => Promise<RouteAnswer>;
}

/** Defines a route. Without a schema, its query must be empty, and a body is not read. */
export function defineRoute<
  Query extends z.ZodType = z.ZodType<object>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(given: RouteGiven<Query, Body>): Route {
  const { query = null, body = null, answer, status = 200, events, isFile } = given;
  const {
    method,
    path,
    operation,
    summary,
    starts = false,
    isOfServer = false,
    isShared = false,
    handle,
  } = given;
  return {
    method,
    path,
    operation,
    summary,
    query,
    body,
    starts,
    isOfServer,
    isShared,
    answer: { status, schema: answer, ...omitUndefined({ events, isFile }) },
    handle,
  };
}

/** A whole number in a query. */
export function queryNumber(min: number, max: number): z.ZodType<number> {
  const number = z.int().min(min).max(max);
  // Other text stays as it is, so that the message names it.
  return z.preprocess((text) => (/^-?\d+$/.test(String(text)) ? Number(text) : text), number);
}

/** `true` or `false` in a query. */
export const queryFlag: z.ZodType<boolean> = z
  .enum(["true", "false"])
  .transform((text) => text === "true");
