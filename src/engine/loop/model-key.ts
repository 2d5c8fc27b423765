import type { RunContext } from "../run-context/run-context.ts";

/** Returns the step key of the turn `turn` of a conversation, counted from 1. */
export function modelKey({ prefix }: Pick<RunContext, "prefix">, turn: number): string {
  return `${prefix}model/${turn}`;
}
