import type { Registry } from "../../registry/registry.ts";
import { answerOf } from "../../run/answer.ts";
import type { RunSpec } from "../../run/run.ts";
import { isRecord } from "../../source/json.ts";
import { formatMessage } from "../conversation/format-message.ts";
import type { EarlierConversation, Exchange } from "../runner/prompt.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { type EarlierRun, readEarlierRuns } from "./earlier-runs.ts";
import { readRecord } from "./recorded-run.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/**
 * Returns the conversation that a run in another program continues: the prompt and answer of each earlier run, and the session of
 * that program, unless another run has used or may use that session.
 *
 * @throws RunFailed when the registry has lost a part of it.
 */
export async function recallExchanges({
  spec,
  registry,
}: Pick<RunContext, "spec" | "registry">): Promise<EarlierConversation> {
  const earlier = await readEarlierRuns(registry, spec);
  const exchanges = earlier.map((one) => toExchange(one, registry));
  const last = earlier.at(-1);
  const isOwn = last !== undefined && (await isOnlyContinuation(registry, spec, last.spec));
  const sessionId = isOwn ? findSession(last) : undefined;
  return { exchanges, ...omitUndefined({ sessionId }) };
}

function toExchange(earlier: EarlierRun, registry: Registry): Exchange {
  const { task, inbox, prefix, values, withoutRepeated } = readRecord(earlier, registry);
  const words = [...values.keys()]
    .filter((key) => key.startsWith(`${prefix}model/`))
    .flatMap((key) => inbox.deliver(key, true));
  const late = withoutRepeated(inbox.undelivered());
  const asked = [task, ...[...words, ...late].map(formatMessage)].join("\n\n");
  const { result } = earlier;
  const { failure, status } = result;
  const end = failure === undefined ? "" : `\n[${status}, ${failure.code}: ${failure.message}]`;
  return { asked, answered: `${answerOf(result)}${end}` };
}

async function isOnlyContinuation(
  registry: Pick<Registry, "madeFrom">,
  spec: RunSpec,
  last: RunSpec,
): Promise<boolean> {
  if (spec.lineage !== undefined) return false;
  return (await registry.madeFrom(last.id)).every(({ id }) => id === spec.id);
}

/** Returns the session of the run's last turn. A fork's journal also has notes about another run's session. */
function findSession({ spec, events }: EarlierRun): string | undefined {
  for (const event of events.toReversed()) {
    if (event.type !== "step-finished" || event.kind !== "note") continue;
    const { value } = event;
    if (!/(?:^|\/)prompt\/\d+\/\d+$/.test(event.key) || !isRecord(value)) continue;
    const { runId, sessionId } = value;
    if (runId === spec.id && typeof sessionId === "string") return sessionId;
  }
  return undefined;
}
