import { z } from "zod";
import type { Route } from "./route.ts";
import { problemSchema } from "./schemas.ts";

type Json = Record<string, unknown>;

/** Describes routes as OpenAPI 3.1. Its schemas are JSON Schema, from those that check the requests. */
export function describeApi(
  routes: readonly Route[],
  { version, firstProject }: { version: string; firstProject: string },
): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  const problem = toSchema(problemSchema, "output", { schemas, name: "problem" });
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = describeRoute(route, schemas, problem);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cadre", version, description: "Agents and runs of a project." },
    servers: [
      { url: "/api/v1", description: "The first project." },
      {
        url: "/api/v1/projects/{project}",
        description: "The project with this `id`, of `GET /projects`.",
        variables: { project: { default: firstProject } },
      },
    ],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "cadre_PORT" },
      },
    },
  };
}

function describeRoute(route: Route, schemas: Json, problem: Json): Json {
  const { operation, summary, answer, body } = route;
  const json: Json = {
    "application/json": {
      schema: toSchema(answer.schema, "output", { schemas, name: `${operation}Answer` }),
    },
    ...(answer.events === true && { "text/event-stream": { schema: { type: "string" } } }),
  };
  const content = answer.isFile === true ? { "application/octet-stream": {} } : json;
  const request = { schemas, name: `${operation}Request` };
  return {
    ...(route.isOfServer && { servers: [{ url: "/api/v1" }] }),
    operationId: operation,
    summary,
    parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headers(route)],
    ...(body !== null && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: toSchema(body, "input", request) } },
      },
    }),
    responses: {
      [String(answer.status)]: { description: "Success.", content },
      default: {
        description: "A problem (RFC 9457).",
        content: { "application/problem+json": { schema: problem } },
      },
    },
  };
}

function pathParameters({ path }: Route): Json[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query, operation }: Route, schemas: Json): Json[] {
  if (query === null) return [];
  const { properties = {}, required = [] } = toSchema(query, "input", {
    schemas,
    name: `${operation}Query`,
  }) as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function headers({ starts, answer }: Route): Json[] {
  const schema = { type: "string" };
  return [
    ...(starts ? [{ name: "Idempotency-Key", in: "header", required: false, schema }] : []),
    ...(answer.events === true
      ? [{ name: "Last-Event-ID", in: "header", required: false, schema }]
      : []),
  ];
}

/** Converts a schema. Its named parts become components: parts with an `id` under that id, others under `name`. */
function toSchema(
  schema: z.ZodType,
  io: "input" | "output",
  { schemas, name }: { schemas: Json; name: string },
): Json {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const {
    $schema: _,
    $defs = {},
    id: __,
    "~standard": ___,
    ...rest
  } = json as Json & { $defs?: Json };
  const nameOf = (key: string): string => (key.startsWith("__") ? `${name}${key}` : key);
  const rewrite = (value: unknown): Json =>
    JSON.parse(
      JSON.stringify(value).replaceAll(
        /"#\/\$defs\/([^"]+)"/g,
        (_all, key: string) => `"#/components/schemas/${nameOf(key)}"`,
      ),
    ) as Json;
  for (const [key, one] of Object.entries($defs)) {
    const { id: ____, ...named } = rewrite(one);
    schemas[nameOf(key)] = named;
  }
  return rewrite(rest);
}
