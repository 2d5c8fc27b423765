// The parts that the routes of the API share: schemas, problems, idempotency and event streams.

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
  /** Creates a code that signs in one browser. */
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
  /** Returns a decoded variable of the path. */
  param(name: string): string;
  query: Query;
  body: Body;
  request: Request;
}

/** The answer of a route: a value that is sent as JSON, or a complete response. */
export type RouteAnswer = Response | { status?: 200 | 201; json: unknown };

/** A route of the API. Its schemas both check requests and describe them. */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`, with variables such as `{run}`. */
  path: string;
  /** The unique name from which clients generate a function. */
  operation: string;
  summary: string;
  query: z.ZodType | null;
  body: z.ZodType | null;
  /** The description and schema of a success. */
  answer: { status: 200 | 201; schema: z.ZodType; events?: boolean; isFile?: boolean };
  /** Whether the route starts a run and accepts the header Idempotency-Key. */
  starts: boolean;
  /** Whether simultaneous requests may share an answer. */
  isShared: boolean;
  /** Whether the route is about the server, so that its path has no project. */
  isOfServer: boolean;
  handle: (call: RouteCall<never, never>) => Promise<RouteAnswer>;
}

/** The definition of a route. Its handler receives the output of its schemas. */
interface RouteGiven<Query extends z.ZodType, Body extends z.ZodType> {
  method: Route["method"];
  path: string;
  operation: string;
  summary: string;
  query?: Query;
  body?: Body;
  answer: z.ZodType;
  status?: 201;
  /** Whether the route can respond with `text/event-stream`. */
  events?: boolean;
  /** Whether the route responds with a file instead of JSON. */
  isFile?: boolean;
  starts?: boolean;
  isShared?: boolean;
  isOfServer?: boolean;
  handle: (call: RouteCall<z.output<Query>, z.output<Body>>) => Promise<RouteAnswer>;
}

/** Defines a route. Without schemas, its query must be empty and its body is not read. */
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
  // Other text stays unchanged, so that the error quotes it.
  return z.preprocess((text) => (/^-?\d+$/.test(String(text)) ? Number(text) : text), number);
}

/** `true` or `false` in a query. */
export const queryFlag: z.ZodType<boolean> = z
  .enum(["true", "false"])
  .transform((text) => text === "true");
