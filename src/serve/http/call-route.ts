import { isUtf8 } from "node:buffer";
import type { z } from "zod";
import { explainIssue } from "../../host.ts";
import { invalidRequest, ServerProblem } from "./problem.ts";
import type { RouteCall, Route, RouteAnswer, RouteServices } from "./route.ts";
import { errorMessage } from "../../error-message.ts";

/** The maximum size of a body, in bytes: an input of 4 MiB and images. */
const maxBodyBytes = 32 * 1024 * 1024;

/** A request whose fields do not match their schemas. */
export class WrongRequest extends Error {
  readonly problem: ReturnType<typeof invalidRequest>;

  constructor(issues: readonly z.core.$ZodIssue[], place: "body" | "query") {
    const errors = issues.flatMap((issue) => describeIssue(issue, place));
    super("The request is not valid.");
    this.problem = invalidRequest(errors);
  }
}

/** Checks a request with the schemas of a route and calls its handler. */
export async function callRoute(
  route: Route,
  services: RouteServices,
  { request, params }: { request: Request; params: Readonly<Record<string, string>> },
): Promise<RouteAnswer> {
  const query = parse(route.query, readQuery(request, route), "query");
  const body = route.body === null ? undefined : parse(route.body, await readJson(request), "body");
  const call: RouteCall<unknown, unknown> = {
    services,
    request,
    query,
    body,
    param: (name) => params[name] ?? "",
  };
  return await route.handle(call as RouteCall<never, never>);
}

function parse(schema: z.ZodType | null, value: unknown, place: "body" | "query"): unknown {
  if (schema === null) return {};
  const { error, data } = schema.safeParse(value, { error: explainIssue });
  if (error !== undefined) throw new WrongRequest(error.issues, place);
  return data;
}

/** Returns the parameters of the query. A repeated parameter becomes a list. */
function readQuery({ url }: Request, { query }: Route): Record<string, string | string[]> {
  const { searchParams } = new URL(url);
  const given: Record<string, string | string[]> = {};
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    Object.defineProperty(given, name, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
    });
  }
  const [first] = Object.keys(given);
  if (query === null && first !== undefined) {
    const message = "this route takes no parameters";
    throw new WrongRequest([{ code: "custom", path: [first], message, input: given }], "query");
  }
  return given;
}

/** Parses the JSON of a body. A request without a body means `{}`. */
async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (type === "" && (await readText(request)) === "") return {};
  if (!/^application\/json(?:;|$)/i.test(type)) {
    const detail = `Expected the header Content-Type: application/json; got ${JSON.stringify(type)}.`;
    throw new ServerProblem("media-type-unsupported", detail);
  }
  const text = await readText(request);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw wrongBody(`JSON is expected: ${errorMessage(error)}`);
  }
}

function wrongBody(message: string): WrongRequest {
  return new WrongRequest([{ code: "custom", path: [], message, input: undefined }], "body");
}

/** Reads the body as it arrives, because the client may have announced no length or a wrong one. */
async function readText(request: Request): Promise<string> {
  const refuse = (): never => {
    const detail = `Expected a body of at most ${maxBodyBytes} bytes.`;
    throw new ServerProblem("body-too-large", detail);
  };
  if (Number(request.headers.get("content-length")) > maxBodyBytes) refuse();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) refuse();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isUtf8(body)) {
    throw wrongBody("UTF-8 is expected; the body has bytes that are not valid UTF-8");
  }
  return body.toString("utf8");
}

function describeIssue(
  issue: z.core.$ZodIssue,
  place: "body" | "query",
): { pointer: string; detail: string }[] {
  const names = issue.path.map(String);
  const pointer =
    place === "query"
      ? names.join(".")
      : names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return [{ pointer, detail: issue.message }];
}
