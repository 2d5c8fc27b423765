// Calls of the API.

/** A refusal of the server, or a server that cannot be reached. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

const signedOut = "This browser is not signed in. Open the link that `cadre serve` printed.";

/**
 * Calls the API; a `body` makes it a POST.
 *
 * @throws ApiError that says what to do.
 */
export async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await send(path, body);
  const answer = (await response.json().catch(() => ({}))) as { detail?: string; code?: string };
  if (response.ok) return answer as Answer;
  const detail = response.status === 401 ? signedOut : answer.detail;
  throw new ApiError(
    detail ?? `The server answered ${response.status}.`,
    answer.code ?? "internal",
  );
}

async function send(path: string, body: object | undefined): Promise<Response> {
  try {
    return await fetch(`/api/v1${path}`, body === undefined ? {} : post(body));
  } catch {
    throw new ApiError("The server does not answer. Is `cadre serve` running?", "unreachable");
  }
}

function post(body: object): RequestInit {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/** The path of a run in the API, with what follows. */
export function runPath(id: string, rest = ""): string {
  return `/runs/${encodeURIComponent(id)}${rest}`;
}
