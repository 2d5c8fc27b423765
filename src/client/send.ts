import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError, type ApiErrorDetails } from "./api-error.ts";
import type { JsonValue } from "../source/json.ts";
import type { ApiClientOptions, StartOptions } from "./client.ts";
import { omitUndefined } from "../omit-undefined.ts";

type QueryValue = string | number | boolean;

/** A request of the API. */
export interface ApiRequest extends StartOptions {
  method?: "GET" | "POST" | "DELETE";
  /** The path below `/api/v1`, or below the project in it. */
  path: string;
  /** Whether the request is independent of a project. */
  isShared?: boolean;
  query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  body?: object | JsonValue | undefined;
  headers?: Readonly<Record<string, string>>;
}

/** A server-sent event. */
export interface ReceivedEvent {
  id: string | undefined;
  type: string | undefined;
  data: string;
}

/** Sends API requests. */
export interface Sender {
  /** @throws ApiError */
  send<Answer>(request: ApiRequest): Promise<Answer>;
  /** Returns the response as a file. @throws ApiError */
  download(request: ApiRequest): Promise<Blob>;
  /** Sends a request for events and iterates over them until the server ends the stream. @throws ApiError */
  listen(request: ApiRequest): AsyncGenerator<ReceivedEvent, void>;
}

/** Creates the sender of a client's requests. */
export function createSender({ url = "", project, token, fetch: given }: ApiClientOptions): Sender {
  const root = `${url.replace(/\/+$/, "")}/api/v1`;
  const projectRoot = inProject(root, project);

  async function request({
    method = "GET",
    path,
    query,
    body,
    ...more
  }: ApiRequest): Promise<Response> {
    const { headers = {}, idempotencyKey, signal, isShared = false } = more;
    const sent: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...omitUndefined({ "idempotency-key": idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...omitUndefined({ signal }),
    };
    const response = await (given ?? fetch)(
      `${isShared ? root : projectRoot}${path}${toQuery(query)}`,
      sent,
    ).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw unreachable(error);
    });
    if (!response.ok) throw await toApiError(response);
    return response;
  }

  return {
    async send<Answer>(what: ApiRequest) {
      return (await (await request(what)).json()) as Answer;
    },
    download: async (what) => await (await request(what)).blob(),
    async *listen(what) {
      const headers = { ...what.headers, accept: "text/event-stream" };
      const response = await request({ ...what, headers });
      if (response.body === null) return;
      const events = response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      const reader = events.getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            what.signal?.throwIfAborted();
            throw unreachable(error);
          });
          if (done) return;
          yield { id: value.id, type: value.event, data: value.data };
        }
      } finally {
        // The caller has stopped reading.
        await reader.cancel().catch(() => undefined);
      }
    },
  };
}

function inProject(root: string, project: string | undefined): string {
  return project === undefined ? root : `${root}/projects/${encodeURIComponent(project)}`;
}

function unreachable(cause: unknown): ApiError {
  const message = "The server did not answer, or the connection broke. Is `cadre serve` running?";
  return Object.assign(new ApiError(message, { code: "unreachable", status: 0 }), { cause });
}

async function toApiError(response: Response): Promise<ApiError> {
  const { status } = response;
  const problem = (await response.json().catch(() => ({}))) as Partial<
    ApiErrorDetails & { detail: string }
  >;
  const { detail = `The server answered ${status}.`, code = "internal", details, errors } = problem;
  return new ApiError(detail, { code, status, details, errors });
}

/** Returns the query string. A list becomes a repeated parameter; `undefined` becomes none. */
function toQuery(query: ApiRequest["query"] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
