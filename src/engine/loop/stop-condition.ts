import type { StopCondition } from "../../run/delegation.ts";

/** A reply whose calls were executed. */
interface ExecutedReply {
  calls: readonly { tool: string }[];
  /** Counted from 1. */
  turn: number;
}

/** Reports whether a run ends after a reply because one of its conditions is met. */
export function meetsCondition(
  conditions: readonly StopCondition[] | undefined,
  { calls, turn }: ExecutedReply,
): boolean {
  return (conditions ?? []).some((condition) =>
    "turns" in condition
      ? turn >= condition.turns
      : calls.some(({ tool }) => tool.toLowerCase() === condition.toolCall.toLowerCase()),
  );
}
