// `cadre serve`: the HTTP API for the runs of a project, and its page.

import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import {
  type ApiProject,
  type Cadre,
  CadreError,
  type CadreOptions,
  type RecipeSearch,
} from "../host.ts";
import { createApp } from "./create-app.ts";
import { createSignIn } from "./guard/sign-in.ts";
import { createEvalJobs } from "./eval/eval-jobs.ts";
import { createEventFeed } from "./http/event-feed.ts";
import { createIdempotencyStore } from "./http/idempotency.ts";
import type { ServedProject, RouteServices } from "./http/route.ts";
import { createSharedAnswers } from "./http/shared-answers.ts";

/** A project to serve. */
export interface ProjectToServe {
  /** Starts the runs. The caller closes it after the server. */
  cadre: Cadre;
  /** The options that it was created with. */
  cadreOptions: CadreOptions;
  /** Its folder, absolute. */
  path: string;
  isTrusted: boolean;
}

/** Options of {@link startServer}. */
export interface ServerOptions {
  /** At least one. Routes without a project mean the first. */
  projects: readonly ProjectToServe[];
  /** Where recipes of the user are. */
  user: Omit<RecipeSearch, "cwd">;
  version: string;
  /** The secret that gives a client all rights of the user. */
  token: string;
  host: string;
  /** 0: any free port. */
  port: number;
  /** PEM. Absent = no TLS. */
  tls?: { cert: string; key: string };
  log: (line: string) => void;
}

/** A server that listens. */
export interface RunningServer {
  /** Where it listens. */
  url: string;
  /** Creates a link that signs one browser in. */
  createLink(): string;
  /** Ends streams and connections. Runs are not affected. */
  close(): Promise<void>;
}

/**
 * The most connections, and the most that wait to be accepted, unless the system allows fewer. More than the event streams, so that a
 * request gets an answer that says why it is refused.
 */
const mostConnections = 4096;
/** The runs that the page lists first, and one more, which shows whether there are others. */
const firstList = 101;
const headersMs = 15_000;
const requestMs = 120_000;

/**
 * Starts a server.
 *
 * @throws CadreError `invalid-argument` when the address cannot be used, or the certificate is not valid.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { version, token, host, tls, log } = options;
  const ending = new AbortController();
  const scheme = tls === undefined ? "http" : "https";
  const signIn = createSignIn(token);
  const server = createNodeServer(tls, (request, response) => void answer(request, response));
  const port = await listen(server, options);
  const app = createApp({
    projects: nameProjects(options, { createCode: signIn.createCode, ending: ending.signal }),
    admission: {
      signIn,
      scheme,
      hosts: new Set(["localhost", host.toLowerCase()]),
      cookieName: `cadre_${port}`,
    },
    version,
    log,
  });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const url = `${scheme}://${nameHost(host)}:${port}`;
  // The figures of large families that have ended are added up once, and best before somebody waits for them.
  for (const { cadre } of options.projects) {
    cadre.runs({ rootsOnly: true, limit: firstList }).catch(() => undefined);
  }
  return {
    url,
    createLink: () => `${url}/sign-in?code=${signIn.createCode()}`,
    async close() {
      ending.abort();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** Names each project after its folder; the second `shop` is `shop-2`. */
function nameProjects(
  { projects, user, log }: Pick<ServerOptions, "projects" | "user" | "log">,
  shared: Pick<RouteServices, "createCode" | "ending">,
): ServedProject[] {
  const streams = { open: 0 };
  const ids = new Set<string>();
  const named = projects.map(({ path, isTrusted }): ApiProject => {
    const name = basename(path).replaceAll(/[^\w-]+/g, "-") || "project";
    let id = name;
    for (let count = 2; ids.has(id); count += 1) id = `${name}-${count}`;
    ids.add(id);
    return { id, path, isTrusted };
  });
  return projects.map((project, index) => {
    const { cadre, path } = project;
    const idempotency = createIdempotencyStore(join(cadre.stateFolder, "idempotency"));
    const services: RouteServices = {
      cadre,
      recipes: { cwd: path, ...user },
      projects: named,
      idempotency,
      feed: createEventFeed(cadre, shared.ending),
      evals: createEvalJobs({ ...project, log, ending: shared.ending }),
      shared: createSharedAnswers(),
      streams,
      ...shared,
    };
    return { ...(named[index] as ApiProject), services };
  });
}

type Listener = Parameters<typeof createHttpServer>[1] & {};

function createNodeServer(tls: ServerOptions["tls"], listener: Listener): Server {
  const times = { headersTimeout: headersMs, requestTimeout: requestMs };
  try {
    const server =
      tls === undefined
        ? createHttpServer(times, listener)
        : createHttpsServer({ ...times, ...tls }, listener);
    server.maxConnections = mostConnections;
    return server;
  } catch (error) {
    const message = `Expected a certificate and its key in PEM: ${String(error)}`;
    throw new CadreError("invalid-argument", message, { cause: error });
  }
}

/** Resolves with the port. */
async function listen(
  server: Server,
  { host, port }: Pick<ServerOptions, "host" | "port">,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port, host, backlog: mostConnections }, resolve);
  try {
    await promise;
  } catch (error) {
    const message = `Expected a free port and an address of this machine; ${host}:${port} cannot be used: ${String(error)}`;
    throw new CadreError("invalid-argument", message, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}

/** Returns the host as a browser on this machine writes it. */
function nameHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
