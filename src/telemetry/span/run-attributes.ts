// Spans of runs and steps: their ids, attributes and content.

import type { Attributes } from "@opentelemetry/api";
import type { Figures } from "../../run/figures.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Run } from "../../run/run.ts";
import type { Usage } from "../../run/usage.ts";
import { nameModel } from "./provider-name.ts";
import { secondsBetween } from "./seconds-between.ts";

/** Returns the attributes of a run at its start. */
export function describeRunStart(run: Run): Attributes {
  const { id, rootId, parentId, agent, label, model, budget, lineage, depth } = run;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": agent,
    // Each run is a separate conversation, which messages and forks continue.
    "gen_ai.conversation.id": id,
    "cadre.run.id": id,
    "cadre.run.root_id": rootId,
    "cadre.run.depth": depth,
    ...optionalAttributes({
      "gen_ai.request.model": model === null ? undefined : nameModel(model).model,
      "cadre.run.parent_id": parentId,
      "cadre.run.label": label,
      "cadre.run.background": run.background,
      "cadre.run.detached": run.detached,
      "cadre.budget.usd": budget?.usd,
      "cadre.budget.tokens": budget?.tokens,
      "cadre.budget.wall_seconds": budget?.wallSeconds,
      "cadre.budget.tool_calls": budget?.toolCalls,
      "cadre.lineage.kind": lineage?.kind,
      "cadre.lineage.run_id": lineage?.runId,
    }),
  };
}

/** Returns the attributes of a run at its end. The figures exclude descendants, so they can be summed over a trace. */
export function describeRunEnd(run: Run, { status, failure }: RecordedResult): Attributes {
  const { own, attempts, startedAt, cachedFrom } = run;
  return {
    ...describeUsage(own.usage),
    ...describeFigures(own),
    "cadre.run.status": status,
    "cadre.run.processes": attempts,
    "cadre.run.retries": run.retries ?? 0,
    "cadre.run.active_duration": run.spentMs / 1000,
    "cadre.run.cached": cachedFrom !== undefined,
    ...optionalAttributes({
      "cadre.run.cached_from": cachedFrom,
      "cadre.queue.duration":
        startedAt === null ? undefined : secondsBetween(run.createdAt, startedAt),
      "error.type": failure?.code,
    }),
  };
}

function describeFigures({ cost, turns, toolCalls }: Figures): Attributes {
  const counts = { "cadre.run.turns": turns, "cadre.run.tool_calls": toolCalls };
  return cost === null ? counts : { ...counts, "cadre.cost": cost };
}

/** Returns the tokens of one or more requests. */
export function describeUsage(usage: Usage): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
    "gen_ai.usage.cache_write.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  };
}

/** Omits absent attributes. */
export function optionalAttributes(
  attributes: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Attributes {
  const given = Object.entries(attributes).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(given) as Attributes;
}
