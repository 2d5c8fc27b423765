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
  /** Starts the runs. The caller closes it after the server has closed. */
  cadre: Cadre;
  /** The options with which `cadre` was created. */
  cadreOptions: CadreOptions;
  /** The absolute path of the project's folder. */
  path: string;
  isTrusted: boolean;
}

/** Options of {@link startServer}. */
export interface ServerOptions {
  /** The projects, at least one. Routes without a project refer to the first. */
  projects: readonly ProjectToServe[];
  /** The user, whose recipes are found too. */
  user: Omit<RecipeSearch, "cwd">;
  version: string;
  /** The secret that gives a client all rights of the user. */
  token: string;
  host: string;
  /** The port; 0 means any free port. */
  port: number;
  /** The certificate and key in PEM. Absent: no TLS. */
  tls?: { cert: string; key: string };
  log: (line: string) => void;
}

/** A listening server. */
export interface RunningServer {
  /** The address of the server. */
  url: string;
  /** Creates a link that signs in one browser. */
  createLink(): string;
  /** Ends streams and connections. Runs are not affected. */
  close(): Promise<void>;
}

/**
 * The maximum number of connections, and of connections waiting to be accepted, unless the system allows fewer. It exceeds the number
 * of event streams, so that a refused request still gets a response with the reason.
 */
const maxConnections = 4096;
/** The number of runs in the page's first list, plus one that shows whether there are more. */
const firstList = 101;
const headersMs = 15_000;
const requestMs = 120_000;

/**
 * Starts a server.
 *
 * @throws CadreError `invalid-argument` when the address cannot be used or the certificate is invalid.
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
  // Sums the figures of large ended families, preferably before a client waits for them. Each family is summed once.
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

/** Names each project after its folder; a second `shop` becomes `shop-2`. */
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
    server.maxConnections = maxConnections;
    return server;
  } catch (error) {
    const message = `Expected a certificate and its key in PEM: ${String(error)}`;
    throw new CadreError("invalid-argument", message, { cause: error });
  }
}

/** Starts to listen. Resolves with the port. */
async function listen(
  server: Server,
  { host, port }: Pick<ServerOptions, "host" | "port">,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port, host, backlog: maxConnections }, resolve);
  try {
    await promise;
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const message = isTaken
      ? `Expected a free port; another process uses ${port} of ${host}. Choose another one with the option \`port\`; 0 takes any free port.`
      : `Expected an address of this machine and a port that you may use; ${host}:${port} cannot be used: ${String(error)}`;
    throw new CadreError("invalid-argument", message, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}

/** Returns the host in the form that a browser on this machine uses. */
function nameHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
