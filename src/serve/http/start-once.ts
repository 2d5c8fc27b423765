import type { RouteCall } from "./route.ts";

/** What was started, and the status of the answer: 200 when an earlier request had started it. */
export interface StartedThing {
  id: string;
  status: 200 | 201;
}

/** Starts something that has an id, once for each idempotency key of requests with the same content. */
export async function startOnce(
  { services: { idempotency }, request }: Pick<RouteCall<unknown, unknown>, "services" | "request">,
  given: unknown,
  begin: () => Promise<string>,
): Promise<StartedThing> {
  const key = request.headers.get("idempotency-key") ?? "";
  if (key === "") return { status: 201, id: await begin() };
  const what = [new URL(request.url).pathname, given];
  const { runId, isRepeated } = await idempotency.startOnce(key, what, begin);
  return { status: isRepeated ? 200 : 201, id: runId };
}
