import { setImmediate as turn } from "node:timers/promises";
import { isRecord } from "../../source/json.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { OwnToolContext } from "../own-tool.ts";

/** A result in parts: a generator, or a stream of the platform. */
type Stream = AsyncIterable<unknown> | Iterator<unknown>;

/** After this many parts, other work gets a turn, because a stream may never end. */
const partsInOneTurn = 100;

/** Reports whether a result arrives in parts. */
export function isStream(result: unknown): result is Stream {
  if (!isRecord(result)) return false;
  return Symbol.asyncIterator in result || (Symbol.iterator in result && "next" in result);
}

/** Reports each part as progress; resolves with the returned value, or else with the last part. */
export async function collectParts(
  stream: Stream,
  { report, signal }: Pick<OwnToolContext, "report" | "signal">,
): Promise<unknown> {
  const iterator = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream;
  let last: unknown;
  try {
    for (let count = 1; ; count += 1) {
      const next = await orAbort(Promise.resolve(iterator.next()), signal);
      if (next.done === true) return next.value === undefined ? last : next.value;
      last = next.value;
      report(typeof last === "string" ? last : show(last));
      if (count % partsInOneTurn === 0) await turn();
    }
  } catch (error) {
    // It may have resources to release, and that may fail, too.
    void Promise.resolve()
      .then(() => iterator.return?.())
      .catch(() => undefined);
    throw error;
  }
}

function show(part: unknown): string {
  try {
    return JSON.stringify(part) ?? String(part);
  } catch {
    return "(a part that is not JSON)";
  }
}
