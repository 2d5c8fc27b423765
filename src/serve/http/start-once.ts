import type { RouteCall } from "./route.ts";

/** The started object and the status of the response: 200 when an earlier request started it. */
export interface StartedThing {
  id: string;
  status: 200 | 201;
}

/** Starts something with an id, once for each idempotency key of equal requests. */
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
