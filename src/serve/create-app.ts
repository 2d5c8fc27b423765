import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Context, Hono } from "hono";
import { apiRoutes } from "./api/api-routes.ts";
import { type ServeAdmission, admitAddress, admitUser, isTriggerStart } from "./guard/admit.ts";
import { sessionMs } from "./guard/sign-in.ts";
import { callRoute, WrongRequest } from "./http/call-route.ts";
import { describeApi } from "./http/openapi.ts";
import { problemResponse, ServerProblem, toProblem } from "./http/problem.ts";
import type { RouteAnswer, ServedProject, RouteServices } from "./http/route.ts";
import { chooseEncoding } from "./http/stream-encoding.ts";
import { pageFiles } from "./page-files.ts";

/** Compresses in another thread. */
const compress = promisify<Uint8Array, { level: number }, Buffer<ArrayBuffer>>(gzip);

/** Options of {@link createApp}. */
export interface AppOptions {
  /** The projects, at least one. Routes without a project refer to the first. */
  projects: readonly ServedProject[];
  admission: ServeAdmission;
  version: string;
  /** Receives unexpected errors. */
  log: (line: string) => void;
}

/** The headers of every response. They block scripts, styles and frames of other origins, and inline ones. */
const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Creates the app of the server: the API, the page, and the sign-in of browsers. */
export function createApp({ projects, admission, version, log }: AppOptions): Hono {
  const app = new Hono();
  app.onError((error) => {
    if (error instanceof WrongRequest) return problemResponse(error.problem);
    const problem = toProblem(error);
    // A request that is cut off because the server ends is not an error.
    const isEnding = projects.some(({ services }) => services.ending.aborted);
    if (problem.code === "internal" && !isEnding) log(error.stack ?? String(error));
    const isUnknown = problem.status === 401;
    return problemResponse(
      problem,
      isUnknown ? { "www-authenticate": 'Bearer realm="cadre"' } : {},
    );
  });
  app.use("*", async (context, next) => {
    admitAddress(context.req.raw, admission);
    await next();
    for (const [name, value] of Object.entries(safeHeaders)) context.res.headers.set(name, value);
    if (!context.res.headers.has("cache-control")) {
      context.res.headers.set("cache-control", "no-store");
    }
  });
  app.use("/api/*", async (context, next) => {
    const { raw } = context.req;
    const isAdmitted = isTriggerStart(raw, (id) => findServices(projects, id)?.cadre);
    if (!isAdmitted) admitUser(raw, admission);
    await next();
  });
  addSignIn(app, admission);
  addApi(app, projects, version);
  for (const { path, type, content } of pageFiles()) {
    app.get(path, () => new Response(content, { headers: { "content-type": type } }));
  }
  // Browsers request this file on their own.
  app.get("/favicon.ico", () => new Response(null, { status: 204 }));
  app.notFound((context) => {
    const { method, path } = context.req;
    const detail = `There is no ${method} ${path}. GET /api/v1/openapi.json describes the API.`;
    return problemResponse(toProblem(new ServerProblem("not-found", detail)));
  });
  return app;
}

function addApi(app: Hono, projects: readonly ServedProject[], version: string): void {
  const firstProject = projects[0]?.id ?? "";
  const description = describeApi(apiRoutes, { version, firstProject });
  app.get("/api/v1/openapi.json", (context) => context.json(description));
  for (const route of apiRoutes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const answer = async (context: Context): Promise<Response> => {
      const { project, ...params } = context.req.param() as Record<string, string>;
      const services = requireServices(projects, project);
      const call = async (): Promise<RouteAnswer> =>
        await callRoute(route, services, { request: context.req.raw, params });
      if (route.isShared) {
        return await answerShared(context, services, call);
      }
      const answered = await call();
      if (answered instanceof Response) return answered;
      return context.json(answered.json as object, answered.status ?? 200);
    };
    app.on(route.method, `/api/v1${path}`, answer);
    if (!route.isOfServer) app.on(route.method, `/api/v1/projects/:project${path}`, answer);
  }
}

/** Answers a request whose answer several requests may share. It is serialized and compressed once for all of them. */
async function answerShared(
  { req }: Context,
  { shared }: RouteServices,
  call: () => Promise<RouteAnswer>,
): Promise<Response> {
  const isCompressed = chooseEncoding(req.raw) === "gzip";
  const bytes = await shared.get(`${isCompressed ? "gzip " : ""}${req.url}`, async () => {
    const answer = await call();
    if (answer instanceof Response) throw new Error("A shared answer is JSON.");
    const json = Buffer.from(JSON.stringify(answer.json));
    return isCompressed ? await compress(json, { level: 1 }) : json;
  });
  return new Response(bytes, {
    headers: {
      "content-type": "application/json",
      vary: "accept-encoding",
      ...(isCompressed && { "content-encoding": "gzip" }),
    },
  });
}

/** Returns the services of a project; without an id, those of the first project. */
function findServices(
  projects: readonly ServedProject[],
  id: string | undefined,
): RouteServices | undefined {
  return (id === undefined ? projects[0] : projects.find((one) => one.id === id))?.services;
}

function requireServices(
  projects: readonly ServedProject[],
  id: string | undefined,
): RouteServices {
  const services = findServices(projects, id);
  if (services !== undefined) return services;
  const ids = projects.map((one) => one.id).join(", ");
  const detail = `Expected one of the projects ${ids}; got ${JSON.stringify(id)}.`;
  throw new ServerProblem("not-found", detail);
}

/** Adds the link with a one-time code that signs in a browser. */
function addSignIn(app: Hono, { signIn, cookieName, scheme }: ServeAdmission): void {
  app.get("/sign-in", (context) => {
    const cookie = signIn.redeem(context.req.query("code") ?? "");
    if (cookie === undefined) {
      const detail =
        "Expected an unused link, at most ten minutes old. `cadre serve` prints one when it starts; POST /api/v1/sign-in-links creates more.";
      throw new ServerProblem("not-signed-in", detail);
    }
    const parts = [`${cookieName}=${cookie}`, "Path=/", "HttpOnly", "SameSite=Strict"];
    parts.push(`Max-Age=${sessionMs / 1000}`, ...(scheme === "https" ? ["Secure"] : []));
    context.header("set-cookie", parts.join("; "));
    return context.redirect("/", 303);
  });
}
